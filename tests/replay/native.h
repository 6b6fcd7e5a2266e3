/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts about an interpreter, or about a request, that the native stack of a stopped thread
 * gives. */
#ifndef TESTS_REPLAY_NATIVE_H
#define TESTS_REPLAY_NATIVE_H

#include "runtime/vm_frame.h"

#include <sys/types.h>

struct request_stack;
struct user_regs_struct;

/* Walks the native stack of a thread of the process PID with the steps of the BPF programs. */
struct vm_native native_stack(pid_t pid, const struct user_regs_struct *regs);

void native_frames(pid_t pid, const struct user_regs_struct *regs, struct request_stack *stack);

#endif
