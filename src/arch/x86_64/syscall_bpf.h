/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the BPF programs know of system calls. */
#ifndef ARCH_X86_64_SYSCALL_BPF_H
#define ARCH_X86_64_SYSCALL_BPF_H

#include "regs_bpf.h"

#include <bpf/bpf_core_read.h>

enum {
	SYSCALL_X32 = 0x40000000, /* a bit of the numbers of x32's calls */
	STATUS_COMPAT = 2,        /* TS_COMPAT, of struct thread_info */
	CALL_MMAP = 9,
	CALL_MUNMAP = 11,
	CALL_BRK = 12,
	CALL_MREMAP = 25,
	COMPAT_BRK = 45,
	COMPAT_MUNMAP = 91,
	COMPAT_MREMAP = 163,
	COMPAT_MMAP2 = 192,
	CALL_EXIT = 60,
	CALL_EXIT_GROUP = 231,
	CALL_RT_SIGRETURN = 15,
	COMPAT_EXIT = 1,
	COMPAT_EXIT_GROUP = 252,
	COMPAT_SIGRETURN = 119,
	COMPAT_RT_SIGRETURN = 173,
	CALL_FUTEX = 202,
	COMPAT_FUTEX = 240,
	COMPAT_FUTEX_TIME64 = 422,
	/* the same for 32-bit programs */
	CALL_FUTEX_WAITV = 449,
	CALL_FUTEX_WAKE = 454,
	CALL_FUTEX_WAIT = 455,
	CALL_FUTEX_REQUEUE = 456,
};

static inline bool syscall_returns(long number, bool is_compat)
{
	return is_compat ? number != COMPAT_EXIT && number != COMPAT_EXIT_GROUP
			 : number != CALL_EXIT && number != CALL_EXIT_GROUP;
}

/*
 * Returns ARGUMENT, from 0 to 4, of the call that has begun with these registers, in 32-bit code if
 * IS_COMPAT is set.
 */
static inline uint64_t syscall_argument(
	const struct pt_regs___kernel *regs, int argument, bool is_compat)
{
	switch (argument) {
	case 0:
		return is_compat ? (uint32_t)regs->bx : regs->di;
	case 1:
		return is_compat ? (uint32_t)regs->cx : regs->si;
	case 2:
		return is_compat ? (uint32_t)regs->dx : regs->dx;
	case 3:
		return is_compat ? (uint32_t)regs->si : regs->r10;
	default:
		return is_compat ? (uint32_t)regs->di : regs->r8;
	}
}

/* Returns whether the call is futex(2). */
static inline bool syscall_is_futex(long number, bool is_compat)
{
	return is_compat ? number == COMPAT_FUTEX || number == COMPAT_FUTEX_TIME64
			 : number == CALL_FUTEX;
}

/* These two return the number and the first argument of the call that returns with these registers.
 */
#define syscall_number(regs) BPF_CORE_READ(regs, orig_ax)
#define syscall_first(regs) BPF_CORE_READ(regs, di)

/* Returns whether the call gives a result, not the register of a signal handler's caller. */
static inline bool syscall_has_result(long number, bool is_compat)
{
	return is_compat ? number != COMPAT_SIGRETURN && number != COMPAT_RT_SIGRETURN
			 : number != CALL_RT_SIGRETURN;
}

#endif
