/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A SystemTap script of ours: where it lies and what its header says of it. */
#ifndef ENGINE_SCRIPT_H
#define ENGINE_SCRIPT_H

#include <stdbool.h>

struct strbuf;

struct script {
	char *path;
	char *event, *title, *unit, *clock; /* of "// flametap: KEY VALUE" lines */
	char *takes;    /* options that it has a use for, divided by blanks; NULL: none */
	char *actions;  /* MAXACTION, the statements of a probe; NULL: as usual */
	char **tapsets; /* folders for -I, NULL behind the last */
};

/*
 * The script NAME.stp of the data folder: $FLAMETAP_DATADIR, or the tree that the program was built
 * in, or PREFIX/share/flametap beside it. -1 and ERR when it is not there or its header lacks
 * something.
 */
int script_find(struct script *script, const char *name, struct strbuf *err);
void script_release(struct script *script);

/* Whether the script has a use for OPTION: rate, idle, perl, state, min, max. */
bool script_takes(const struct script *script, const char *option);

#endif
