/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where integers and pointers are at the call of a function and at its return, in struct pt_regs.
 */
#ifndef ARCH_X86_64_ARGUMENTS_H
#define ARCH_X86_64_ARGUMENTS_H

#include <asm/ptrace.h>
#include <stddef.h>
#include <stdint.h>

enum {
	RESULT_AT = offsetof(struct pt_regs, rax), /* in bytes */
	RETURN_ADDRESS_SIZE = 8,                   /* what a return pops from the stack, in bytes */
	REGISTER_ARGUMENTS = 6,
};

/* Returns the offset of argument NUMBER, from 1 to REGISTER_ARGUMENTS. */
static inline uint16_t argument_at(uint32_t number)
{
	static const uint16_t offsets[REGISTER_ARGUMENTS] = {
		offsetof(struct pt_regs, rdi),
		offsetof(struct pt_regs, rsi),
		offsetof(struct pt_regs, rdx),
		offsetof(struct pt_regs, rcx),
		offsetof(struct pt_regs, r8),
		offsetof(struct pt_regs, r9),
	};

	return offsets[number - 1];
}

#endif
