/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place in a function of x86-64 where a uprobe costs least. The kernel emulates a few
 * instructions under a uprobe (arch/x86/kernel/uprobes.c): push, nop, jumps and calls. It executes
 * other instructions in single steps, which takes many times as long, most of all in virtual
 * machines. Functions begin with such instructions: endbr64, sub or mov.
 */
#ifndef ARCH_X86_64_PROBE_PLACE_H
#define ARCH_X86_64_PROBE_PLACE_H

#include <stddef.h>

/*
 * Returns the offset of the first instruction that is emulated, in the NR bytes at the start of a
 * function, if only instructions that do not branch are before it, and these leave the first two
 * arguments in rdi and rsi. Returns 0 if there is no such instruction or one cannot be decoded;
 * then the start is the place. A function whose loops lead back to before that place passes it more
 * than once.
 */
size_t probe_place(const unsigned char *code, size_t nr);

#endif
