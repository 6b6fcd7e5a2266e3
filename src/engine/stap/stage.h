/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The targets' files, in a form that stap can read. stap identifies a mapped file by the path that
 * the kernel shows, so a file that is not there (deleted, in another mount namespace) or that stap
 * cannot parse (lld's .eh_frame) is copied to that path below a private root, which is passed to
 * stap as --sysroot. The copies stay in the user's cache, under a name derived from their content:
 * the same files give the same root, and stap finds the module that it compiled before.
 */
#ifndef ENGINE_STAP_STAGE_H
#define ENGINE_STAP_STAGE_H

#include "process/process.h"

struct stage {
	char **files; /* for -d, sorted; paths below root if there is one */
	size_t nr_files, files_alloc;
	char *root; /* NULL: no copy was needed */
};

/*
 * Selects the ELF files of PS, sets has_rules of their objects and copies what stap cannot read in
 * place. A file that cannot be copied is left out, with a line in NOTES: stacks are cut there.
 */
void stage_init(struct stage *stage, struct processes *ps, struct strbuf *notes);
void stage_release(struct stage *stage);

#endif
