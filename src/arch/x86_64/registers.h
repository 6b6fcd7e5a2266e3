/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers by their DWARF numbers (System V ABI of x86-64, figure 3.36), and what they are to
 * the unwinder. For user space and the BPF programs.
 */
#ifndef ARCH_X86_64_REGISTERS_H
#define ARCH_X86_64_REGISTERS_H

#include <stdint.h>

enum {
	X86_RAX,
	X86_RDX,
	X86_RCX,
	X86_RBX,
	X86_RSI,
	X86_RDI,
	X86_RBP,
	X86_RSP,
	X86_R8,
	X86_R12 = 12,
	X86_R13,
	X86_R14,
	X86_R15,
	X86_RA,
	NR_REGS,
};

enum {
	REG_SP = X86_RSP,   /* stack pointer */
	REG_FP = X86_RBP,   /* frame pointer (3.2.2) */
	REG_PC = X86_RA,    /* program counter, the return address in unwind information */
	REG_BASE = X86_RBX, /* base of frames of variable size whose stack is realigned, too */
	REG_KEPT = X86_R12, /* the first of the other registers that functions preserve */
	REGS_KEPT = 4,
};

/*
 * The registers of the code that a signal has interrupted, as the kernel saves them: words of
 * struct sigcontext (asm/sigcontext.h), which is in struct ucontext at CONTEXT_AT.
 */
enum {
	CONTEXT_FP = 80, /* offsets in bytes */
	CONTEXT_BASE = 88,
	CONTEXT_SP = 120,
	CONTEXT_PC = 128,
	CONTEXT_WORDS = NR_REGS,
	CONTEXT_AT = 40,
};

/* Sets REG to the registers in the words of CONTEXT: r8 … r15 di si bp bx dx ax cx sp ip. */
static inline void context_take(uint64_t reg[NR_REGS], const uint64_t context[CONTEXT_WORDS])
{
	reg[X86_RAX] = context[13];
	reg[X86_RDX] = context[12];
	reg[X86_RCX] = context[14];
	reg[X86_RBX] = context[11];
	reg[X86_RSI] = context[9];
	reg[X86_RDI] = context[8];
	reg[X86_RBP] = context[10];
	reg[X86_RSP] = context[15];
	for (int i = 0; i < 8; i++)
		reg[X86_R8 + i] = context[i];
	reg[REG_PC] = context[16];
}

#endif
