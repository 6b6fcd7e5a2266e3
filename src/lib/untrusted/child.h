/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes that wait for untrusted files: a wait for a file system that does not answer
 * (FUSE, NFS) may not even end with SIGKILL.
 */
#ifndef LIB_UNTRUSTED_CHILD_H
#define LIB_UNTRUSTED_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Its state as in proc_pid_stat(5), 'R', 'S', 'D' …; 0: it is gone. */
char child_state(pid_t pid);

/* The processor time that it has used, in nanoseconds. */
int64_t child_cpu_ns(pid_t pid);

/* Kills it, and does not wait for its end. */
void child_abandon(pid_t pid);

/*
 * Kills it and waits for its end, if it only waits for a processor; for other things for at most a
 * second. False: it is abandoned, no *STATUS.
 */
bool child_end(pid_t pid, int *status);

#endif
