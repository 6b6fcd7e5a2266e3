/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc says of one task, a process or thread, and whose numbers these are. */
#ifndef PROCESS_TASK_H
#define PROCESS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start time of a task in ticks since boot, 0: not known. */
uint64_t task_start(uint32_t pid, uint32_t tid);

/* All processes that run a program, but for our own; the caller's to free. */
uint32_t *task_programs(size_t *nr);

/* The process that the thread TID belongs to, 0: there is no such thread. */
uint32_t task_process(uint32_t tid);

/* User and kernel time of the process so far, in ticks; 0: none, or it is gone. */
uint64_t task_ticks(uint32_t pid);

/*
 * Whether the task TID that began at START (0: whichever) still runs. One that has ended, but that
 * its parent has not asked about, does not; the first thread of a process that has others does.
 */
bool task_lives(uint32_t tid, uint64_t start);

/* The inode of our namespace of process numbers, 0: it is the kernel's first one. */
uint32_t task_namespace(void);

/* The numbers in /proc are those of this namespace. */
bool task_numbers_ours(void);

#endif
