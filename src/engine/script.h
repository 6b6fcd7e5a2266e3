/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SystemTap script of ours: where it lies and what its header says of it. */
#ifndef SCRIPT_H
#define SCRIPT_H

struct strbuf;

struct script {
	char *path;
	char *event, *title, *unit, *clock; /* of "// flametap: KEY VALUE" lines */
	char **tapsets;                     /* folders for -I, NULL behind the last */
};

/*
 * The script NAME.stp of the data folder: $FLAMETAP_DATADIR, or the tree that the program was built
 * in, or PREFIX/share/flametap beside it. -1 and ERR when it is not there or its header lacks
 * something.
 */
int script_find(struct script *script, const char *name, struct strbuf *err);
void script_release(struct script *script);

#endif
