/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files that processes have mapped, even in other root directories and mount namespaces. The
 * reader does this, because a target may be behind the file system (FUSE). If reading or closing a
 * file may have to wait for a target, a copy of the file is kept open instead.
 */
#ifndef PROCESS_PROCFILE_H
#define PROCESS_PROCFILE_H

#include "model/cuts.h"

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* A file that a process has mapped. */
struct procfile {
	uint32_t pid;
	uint64_t start, end;
	const char *path;    /* absolute, as the process sees it */
	uint64_t dev, inode; /* inode is 0 if it is not known */
	/* results */
	enum cut_cause gap; /* why it has no unwind rules, if it is not open */
	bool other;         /* another file is at the path in our own root */
};

/*
 * Opens the ELF file at F's path in our own root, to stay open. Returns NULL, with *DIFFERS set, if
 * another file or none is there. Returns NULL also if it cannot be read, is not ELF, or too few
 * file descriptors are left.
 */
struct elffile *procfile_open(struct procfile *f, bool *differs);

/*
 * Works like procfile_open(), for the file that the process has mapped, even if it is deleted or in
 * another root.
 */
struct elffile *procfile_open_mapped(struct procfile *f);

/*
 * Returns FD, or a copy of the file if a target may make us wait for it, or -1 if it cannot be
 * copied. This is for work of the reader. Takes ownership of FD, which may be -1.
 */
int procfile_detach(uint32_t pid, int fd);

#endif
