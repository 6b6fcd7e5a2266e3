/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files as stap can take them. It knows a mapped file by the path that the kernel shows, so one
 * that lies elsewhere (deleted, in another mount namespace) or that it cannot read (lld's
 * .eh_frame) is copied to that path below a private root, which stap gets as --sysroot. The copies
 * stay in the user's cache, under a name made of their content: the same files give the same root,
 * so stap finds the module that it compiled for them before.
 */
#ifndef ENGINE_STAP_STAGE_H
#define ENGINE_STAP_STAGE_H

#include "process/process.h"

struct stage {
	char **files; /* for -d, sorted; paths below the root when there is one */
	size_t nr_files, files_alloc;
	char *root; /* NULL: no copy was needed */
};

/*
 * Chooses the files of the objects of PS that have rules to give, marks those objects (has_rules),
 * makes the copies. What cannot be staged is left out with a line in NOTES: its stacks will be cut
 * there.
 */
void stage_init(struct stage *stage, struct processes *ps, struct strbuf *notes);
void stage_release(struct stage *stage);

#endif
