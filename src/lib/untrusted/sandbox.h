/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Confines a child process that reads untrusted data, before it reads any. */
#ifndef LIB_UNTRUSTED_SANDBOX_H
#define LIB_UNTRUSTED_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

struct sandbox {
	unsigned cpu_s;      /* limit of processor time in seconds, 0: none */
	uint64_t memory;     /* bytes of private memory that it may add to what it has */
	uint64_t file_size;  /* bytes that one file, such as a memfd, may have */
	unsigned open_files; /* limit of descriptors, 0: unchanged */
	int nice;            /* its priority, if that or the present one is high (negative) */
	bool no_files; /* it may not open any; else for reading, with the rights of its user */
};

/*
 * Gives up privileges (see user_become_unprivileged) and the parent's high priority; ends with the
 * parent; no core dumps, no new processes, no output on stdout and stderr. The system calls that
 * are left are those to compute, to read and write open files and sockets and, unless no_files, to
 * open files for reading; others fail with ENOSYS. Where a container forbids one of these means, or
 * the sanitizers need more, the others remain. False: some privileges are left.
 */
bool sandbox_enter(const struct sandbox *sandbox);

/* Replaces stdin, stdout and stderr by /dev/null; not with sanitizers, which need stderr. */
void sandbox_mute(void);

/*
 * For a child whose parent has more to hide than it needs: closes all descriptors but FD and the
 * standard ones, and gives up memory that is shared with others. Returns FD's new number.
 */
int sandbox_detach(int fd);

#endif
