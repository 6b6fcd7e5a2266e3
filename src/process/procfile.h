/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that processes have mapped: how we come to them, who may see others at the same paths. */
#ifndef PROCESS_PROCFILE_H
#define PROCESS_PROCFILE_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* True when what lies at PATH for us is not the file with DEV and INODE. */
bool procfile_is_foreign(const char *path, uint64_t dev, uint64_t inode);

/*
 * A path by which we can open the file that PID has mapped from START to END, as long as it lives,
 * be it deleted or below another root; PATH is what the process calls it, INODE 0 when it is not
 * known. The caller's to free.
 */
char *procfile_path(uint32_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode);

/*
 * The file at PATH, to stay open. NULL: it cannot be read, is no ELF file, or so many are open that
 * there would be no room for anything else.
 */
struct elffile *procfile_open(const char *path);

#endif
