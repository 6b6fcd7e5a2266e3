/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Child processes that wait for untrusted files. A wait for a file system that does not answer
 * (FUSE, NFS) may not even end with SIGKILL.
 */
#ifndef LIB_UNTRUSTED_CHILD_H
#define LIB_UNTRUSTED_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct strbuf;

/* Returns the state of a child as in proc_pid_stat(5), 'R', 'S', 'D' …, or 0 if it is gone. */
char child_state(pid_t pid);

/* Returns the CPU time that a child has used, in nanoseconds. */
int64_t child_cpu_ns(pid_t pid);

/*
 * Returns true if another process has stopped or killed a child, with a signal that no fault of the
 * child raises. To be called before the child is waited for. The kernel also kills if memory is
 * short.
 */
bool child_is_signalled(pid_t pid);

/*
 * Waits until a child has ended by itself, as child_end() does, but for at most a tenth of a
 * second.
 */
void child_await(pid_t pid);

/* The following functions count the children that were signalled, see child_note_signals(). */

/* Kills a child, and does not wait for its end. */
void child_abandon(pid_t pid);

/*
 * Kills a child and waits for its end: if it only waits for a processor, as long as that takes,
 * otherwise for at most a second. If it is abandoned, returns false and does not set *STATUS.
 */
bool child_end(pid_t pid, int *status);

/*
 * If any children were signalled, adds a line that says how many and what it means, and returns
 * true.
 */
bool child_note_signals(struct strbuf *notes);

#endif
