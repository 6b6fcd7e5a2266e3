/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Provides the targets' files in a form that stap can read. stap identifies a mapped file by the
 * path that the kernel shows. A file that is not at this path (it was deleted, or is in another
 * mount namespace), or that stap cannot parse (lld's .eh_frame), is copied to the path below a
 * private root, which is passed to stap as --sysroot. The copies stay in the user's cache, under a
 * name that is derived from their content, so that the same files have the same root and stap finds
 * the module that it compiled before.
 */
#ifndef ENGINE_STAP_STAGE_H
#define ENGINE_STAP_STAGE_H

#include "process/process.h"

struct stage {
	char **files; /* for -d, sorted; paths are below root if there is one */
	size_t nr_files, files_alloc;
	char *root; /* or NULL if no copy was needed */
};

/*
 * Selects the ELF files of PS, sets has_rules of their objects and copies the files that stap
 * cannot read in place. A file that cannot be copied is left out, with a line in NOTES; stacks are
 * cut there.
 */
void stage_init(struct stage *stage, struct processes *ps, struct strbuf *notes);
void stage_release(struct stage *stage);

#endif
