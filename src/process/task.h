/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks (processes and threads) in /proc, and its PID namespace. */
#ifndef PROCESS_TASK_H
#define PROCESS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the nanoseconds per clock tick. */
uint64_t task_tick_ns(void);

/* Returns the start time of a task in clock ticks since boot, or 0 if it is not known. */
uint64_t task_start(uint32_t pid, uint32_t tid);

/* Returns the start time in clock ticks of a task that starts at this monotonic time. */
uint64_t task_start_at(int64_t monotonic);

/* Gets the name of a task, or "" if it has ended. SIZE is the size of COMM. */
void task_comm(uint32_t tid, char *comm, size_t size);

/* Returns all processes except kernel threads and this one. The caller frees the list. */
uint32_t *task_programs(size_t *nr);

/* Returns the process of the thread TID, or 0 if there is no such thread. */
uint32_t task_process(uint32_t tid);

/* Returns the number of a thread in its innermost PID namespace, or 0 if it has ended. */
uint32_t task_own_number(uint32_t pid, uint32_t tid);

/*
 * Returns the thread of process PID that calls itself NUMBER, as in a container with a PID
 * namespace of its own, or 0 if there is none.
 */
uint32_t task_thread(uint32_t pid, uint32_t number);

/* Returns the effective user ID of the process, or UINT32_MAX if it is not known. */
uint32_t task_user(uint32_t pid);

/*
 * Returns the user and system time of the process in clock ticks, or 0 if there is none, or it has
 * ended.
 */
uint64_t task_ticks(uint32_t pid);

/*
 * Returns the nanoseconds that thread TID, or with 0 all threads of process PID, have waited for a
 * processor although they could run: proc(5), schedstat. Threads that have ended are not counted.
 */
uint64_t task_run_delay(uint32_t pid, uint32_t tid);

/*
 * Returns true if the task TID is alive and has the start time START, or START is 0. A zombie is
 * not alive unless it is the main thread of a process with other threads.
 */
bool task_lives(uint32_t tid, uint64_t start);

/*
 * Returns a number for the program that process PID executes, or 0 if it is not known. It comes
 * from the addresses that the kernel has chosen for the program: a fork has its parent's number,
 * and another program has another one, also if it comes from the same file.
 */
uint64_t task_program(uint32_t pid);

/*
 * Returns an address in the code of the executable of process PID, or 0 if it is not known. In a
 * script's process this is the interpreter.
 */
uint64_t task_code(uint32_t pid);

/* Says why process PID, whose mappings cannot be read, cannot be recorded, and what helps. */
const char *task_refusal(uint32_t pid);

/* Returns the inode of our PID namespace, or 0 if it is the initial one. */
uint32_t task_namespace(void);

/* Returns true if /proc shows the PIDs of our namespace. */
bool task_numbers_ours(void);

#endif
