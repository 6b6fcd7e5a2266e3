/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that processes have mapped, also in other roots and mount namespaces. The reader does
 * it, as a target may be behind the file system (FUSE): no file that waits for a target when it is
 * read or closed is kept open, but a copy of it.
 */
#ifndef PROCESS_PROCFILE_H
#define PROCESS_PROCFILE_H

#include "model/cuts.h"

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* A file as mapped by a process. */
struct procfile {
	uint32_t pid;
	uint64_t start, end;
	const char *path;    /* for the process; absolute */
	uint64_t dev, inode; /* inode 0: not known */
	/* results */
	enum cut_cause gap; /* if it is not open: why it has no unwind rules */
	bool other;         /* another file is at the path in our own root */
};

/*
 * Opens the ELF file at F's path in our own root, to stay open. NULL: *DIFFERS, another file is
 * there or none, or it cannot be read, is not ELF, or too few file descriptors are left.
 */
struct elffile *procfile_open(struct procfile *f, bool *differs);

/* The same for the file that the process has mapped, even if it is deleted or in another root. */
struct elffile *procfile_open_mapped(struct procfile *f);

/*
 * For work of the reader: FD, or a copy of the file if a target may make us wait for it; -1: that
 * cannot be done. Takes ownership of FD, which may be -1.
 */
int procfile_detach(uint32_t pid, int fd);

#endif
