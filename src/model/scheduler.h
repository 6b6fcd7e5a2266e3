/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of Linux between a function that waits and the switch to another thread. They are
 * at the leaf of all waits that began during a recording; the kernel leaves most of them out of the
 * stacks of threads that waited already.
 */
#ifndef MODEL_SCHEDULER_H
#define MODEL_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Returns whether FUNCTION is one of them: it only waits for its caller. This includes the return
 * from an interrupt or a system call, where threads are preempted. Locks are not included, since
 * their names tell what is waited for.
 */
bool scheduler_has(const char *function, size_t len);

#endif
