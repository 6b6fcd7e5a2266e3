/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls, as shared by the BPF programs and user space. */
#ifndef TOOL_SYSCALLS_SYSCALLS_H
#define TOOL_SYSCALLS_SYSCALLS_H

#include "engine/bpf/kern/shared.h"

enum { CALLS_MAX = 1 << 16 }; /* threads in a call at a time */

/* Indexes of the options in the script's header; the limits are in us. */
enum { SYSCALLS_OPTION_MIN, SYSCALLS_OPTION_MAX };

/*
 * A call, which is the value of a row: the number of the system call, whether the number is of a
 * 32-bit program, and the error with which the call failed, or 0.
 */
enum {
	CALL_NUMBER = 0xfff, /* all bits if the number is larger */
	CALL_COMPAT = 0x1000,
	CALL_ERROR_SHIFT = 13,
	CALL_ERROR_MAX = 4095,
};

/* The word of a span that is its call, without the error. */
enum { SPAN_CALL };

/* Returns whether a call that took NS is recorded. */
static inline bool call_counts(const volatile struct settings *s, uint64_t ns)
{
	return within_bounds(s, SYSCALLS_OPTION_MIN, SYSCALLS_OPTION_MAX, ns);
}

#endif
