/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of tasks in the BPF programs, and the kernel's structures that they are in. The
 * offsets of fields are relocated when the programs are loaded (CO-RE).
 */
#ifndef ARCH_X86_64_REGS_BPF_H
#define ARCH_X86_64_REGS_BPF_H

#include "registers.h"

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct thread_struct {
	unsigned long fsbase;
};

struct thread_info {
	unsigned int status; /* TS_… */
};

struct pt_regs___kernel {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};

#pragma clang attribute pop

#define THREAD_POINTER thread.fsbase /* in struct task_struct */

enum {
	THREAD_SIZE = 16384, /* size of kernel stacks before 5.15 */
	REGS_PRESERVED = 6,  /* how many general registers functions preserve */
	PRIVILEGE = 3,       /* bits of a selector */
};

/* Returns whether an event has hit user mode. */
static __always_inline bool regs_are_user(const struct pt_regs *r)
{
	return r->cs & PRIVILEGE;
}

/* Returns whether R was saved on entry from user mode. */
static __always_inline bool regs_are_saved(const struct pt_regs___kernel *r)
{
	return (r->cs & PRIVILEGE) == PRIVILEGE && (r->ss & PRIVILEGE) == PRIVILEGE;
}

static __always_inline uint64_t regs_pc(const struct pt_regs___kernel *r)
{
	return r->ip;
}

static __always_inline uint64_t regs_sp(const struct pt_regs___kernel *r)
{
	return r->sp;
}

/* Returns the first argument of the function that R is at the start of. */
static __always_inline uint64_t regs_first_argument(const struct pt_regs___kernel *r)
{
	return r->di;
}

static __always_inline uint64_t regs_third_argument(const struct pt_regs___kernel *r)
{
	return r->dx;
}

/* Sets TO to the registers that functions preserve: rbx rbp r12 r13 r14 r15. */
static __always_inline void regs_preserved(
	const struct pt_regs___kernel *r, uint64_t to[REGS_PRESERVED])
{
	to[0] = r->bx;
	to[1] = r->bp;
	to[2] = r->r12;
	to[3] = r->r13;
	to[4] = r->r14;
	to[5] = r->r15;
}

/* Sets R to the registers of an event in user mode. */
static __always_inline void regs_take(struct pt_regs___kernel *r, const struct pt_regs *from)
{
	r->r15 = from->r15;
	r->r14 = from->r14;
	r->r13 = from->r13;
	r->r12 = from->r12;
	r->bp = from->rbp;
	r->bx = from->rbx;
	r->r11 = from->r11;
	r->r10 = from->r10;
	r->r9 = from->r9;
	r->r8 = from->r8;
	r->ax = from->rax;
	r->cx = from->rcx;
	r->dx = from->rdx;
	r->si = from->rsi;
	r->di = from->rdi;
	r->ip = from->rip;
	r->sp = from->rsp;
}

/* Sets REG to R, by DWARF numbers. */
static __always_inline void regs_number(uint64_t reg[NR_REGS], const struct pt_regs___kernel *r)
{
	reg[X86_RAX] = r->ax;
	reg[X86_RDX] = r->dx;
	reg[X86_RCX] = r->cx;
	reg[X86_RBX] = r->bx;
	reg[X86_RSI] = r->si;
	reg[X86_RDI] = r->di;
	reg[X86_RBP] = r->bp;
	reg[X86_RSP] = r->sp;
	reg[X86_R8] = r->r8;
	reg[X86_R8 + 1] = r->r9;
	reg[X86_R8 + 2] = r->r10;
	reg[X86_R8 + 3] = r->r11;
	reg[X86_R12] = r->r12;
	reg[X86_R13] = r->r13;
	reg[X86_R14] = r->r14;
	reg[X86_R15] = r->r15;
	reg[X86_RA] = r->ip;
}

#endif
