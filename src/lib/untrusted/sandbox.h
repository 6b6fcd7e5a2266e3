/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confines a child process that reads untrusted data, before it reads any. */
#ifndef LIB_UNTRUSTED_SANDBOX_H
#define LIB_UNTRUSTED_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct sandbox {
	unsigned cpu_s;      /* limit of CPU time in seconds, or 0 if there is none */
	uint64_t memory;     /* bytes of private memory that it may add to its present memory */
	uint64_t file_size;  /* limit of bytes in one file, such as a memfd */
	unsigned open_files; /* limit of descriptors, or 0 to keep the present one */
	int nice;            /* its priority, used if this or the present one is high (negative) */
	bool no_files;       /* it may open no files; otherwise only for reading, as its user */
};

/*
 * Gives up privileges (see user_become_unprivileged()) and the parent's high priority. The process
 * ends with its parent, and can have no core dumps, no new processes, and no output on stdout and
 * stderr. It can compute, read and write open files and sockets, and, unless no_files is set, open
 * files for reading; other system calls fail with ENOSYS. If a container forbids one of these
 * measures, or a sanitizer needs more, the other measures are still taken. Returns false if some
 * privileges are left.
 */
bool sandbox_enter(const struct sandbox *sandbox);

/* Replaces stdin, stdout and stderr by /dev/null; not with sanitizers, which need stderr. */
void sandbox_mute(void);

/*
 * Closes all descriptors but FD and the standard ones, and unmaps writable memory that is shared
 * with others. This is for a child whose parent has files or memory that the child must not use.
 * Returns FD's new number.
 */
int sandbox_detach(int fd);

#endif
