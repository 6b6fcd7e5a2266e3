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

struct strbuf;

/* Its state as in proc_pid_stat(5), 'R', 'S', 'D' …; 0: it is gone. */
char child_state(pid_t pid);

/* The processor time that it has used, in nanoseconds. */
int64_t child_cpu_ns(pid_t pid);

/*
 * True if another process has stopped or killed it: a signal that no fault of its own raises. To be
 * called before its end is taken. The kernel also kills where memory is short.
 */
bool child_is_signalled(pid_t pid);

/* Waits until it has ended by itself, as child_end, but for at most a tenth of a second. */
void child_await(pid_t pid);

/* The following count the children that were signalled, see child_note_signals. */

/* Kills it, and does not wait for its end. */
void child_abandon(pid_t pid);

/*
 * Kills it and waits for its end, if it only waits for a processor; for other things for at most a
 * second. False: it is abandoned, no *STATUS.
 */
bool child_end(pid_t pid, int *status);

/* True if any were signalled: adds a line that says how many and what it means. */
bool child_note_signals(struct strbuf *notes);

#endif
