/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens files that processes have mapped, also in other roots and mount namespaces. */
#ifndef PROCESS_PROCFILE_H
#define PROCESS_PROCFILE_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* True if PATH in our own root is not the file with DEV and INODE. */
bool procfile_differs(const char *path, uint64_t dev, uint64_t inode);

/*
 * A path to open the file that PID has mapped from START to END, as long as PID lives, even if it
 * is deleted or in another root. PATH is its path for the process, INODE may be 0: not known. The
 * caller frees it.
 */
char *procfile_path(uint32_t pid, uint64_t start, uint64_t end, const char *path, uint64_t inode);

/*
 * Opens the ELF file at PATH, to stay open. NULL: it cannot be read, is not ELF, or too few file
 * descriptors are left.
 */
struct elffile *procfile_open(const char *path);

#endif
