/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions that a walk has to recognise. For user space and the BPF programs. */
#ifndef ARCH_X86_64_MACHINE_CODE_H
#define ARCH_X86_64_MACHINE_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CODE_CALL_MAX = 7, /* bytes of the longest call */
	CODE_SYSCALL = 2,  /* bytes of a system call */
};

/* Returns true if B, the CODE_CALL_MAX bytes before a return address, end in a call. */
static inline bool code_is_call(const uint8_t *b)
{
	return b[2] == 0xe8 || (b[5] == 0xff && (b[6] & 0x38) == 0x10) ||
	       (b[4] == 0xff && (b[5] & 0x38) == 0x10) || (b[3] == 0xff && b[4] == 0x54) ||
	       (b[1] == 0xff && (b[2] & 0x38) == 0x10) || (b[0] == 0xff && (b[1] & 0x38) == 0x10);
}

/* Returns true if the CODE_SYSCALL bytes B are a system call. */
static inline bool code_is_syscall(const uint8_t *b)
{
	return b[0] == 0x0f && b[1] == 0x05;
}

/* Returns true if B is the first byte of a return that pops nothing else. */
static inline bool code_is_return(uint8_t b)
{
	return b == 0xc3;
}

#endif
