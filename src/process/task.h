/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks (processes and threads) in /proc, and its PID namespace. */
#ifndef PROCESS_TASK_H
#define PROCESS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nanoseconds per clock tick. */
uint64_t task_tick_ns(void);

/* Start time of a task in clock ticks since boot, 0: not known. */
uint64_t task_start(uint32_t pid, uint32_t tid);

/* The same for a task that starts at this monotonic time. */
uint64_t task_start_at(int64_t monotonic);

/* The name of a task, "" if it is gone. SIZE: of COMM. */
void task_comm(uint32_t tid, char *comm, size_t size);

/* All processes except kernel threads and this one; the caller frees the list. */
uint32_t *task_programs(size_t *nr);

/* The process of the thread TID, 0: no such thread. */
uint32_t task_process(uint32_t tid);

/* The effective user ID of the process; UINT32_MAX: not known. */
uint32_t task_user(uint32_t pid);

/* User and system time of the process in clock ticks; 0: none, or it is gone. */
uint64_t task_ticks(uint32_t pid);

/*
 * True if the task TID with start time START (0: any) is alive. A zombie is not, unless it is the
 * main thread of a process with other threads.
 */
bool task_lives(uint32_t tid, uint64_t start);

/* Why process PID, whose mappings cannot be read, cannot be recorded, and what helps. */
const char *task_refusal(uint32_t pid);

/* The inode of our PID namespace, 0: it is the initial one. */
uint32_t task_namespace(void);

/* True if /proc shows the PIDs of our namespace. */
bool task_numbers_ours(void);

#endif
