/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks [wait] N: passes, for I from 1 to N, marks whose arguments are known: first argument I or
 * what depends on it, see the marks below; with wait it does so after SIGUSR1. Then it tells how
 * often the mark "guarded" was on. The notes are as in SystemTap's <sys/sdt.h>, by hand, as the
 * compiler would choose the operands.
 */
#include "await_signal.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK(provider, name, semaphore, arguments, ...)                                            \
	__asm__ volatile("990: nop\n"                                                              \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                              \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991: .asciz \"stapsdt\"\n"                                               \
			 "992: .balign 4\n"                                                        \
			 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                       \
			 ".asciz \"" provider "\", \"" name "\", \"" arguments "\"\n"              \
			 "994: .balign 4\n"                                                        \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"   \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".popsection\n"                                                           \
			 ".endif\n"                                                                \
			 :                                                                         \
			 : __VA_ARGS__)

/* The kernel counts the users of the mark here. */
__attribute__((section(".probes"), used)) unsigned short guarded_semaphore;

__attribute__((used)) int64_t counter[2];
__attribute__((used)) static int64_t squares[10];

/* -I in 32 and 64 bits; the low byte, the low word, the second byte and the lower half, which are I
 */
static __attribute__((noinline)) void in_registers(int64_t i)
{
	register int64_t r8 __asm__("r8") = 0x5500000000 | i, r9 __asm__("r9") = 0x550000 | i;

	MARK("first", "registers", "0", "-4@%%eax -8@%%rdi 1@%%cl 2@%%r9w 1@%%dh 4@%%r8d",
		"a"((uint32_t)-i), "D"(-i), "c"(0x5500 | i), "d"(i << 8 | 0x55), "r"(r8), "r"(r9));
}

/* I, -I and -I on the stack; the square of I % 10, three times; I, three times */
static __attribute__((noinline)) void in_memory(int64_t i)
{
	struct {
		int32_t half, negative;
		int64_t whole;
	} words = {(int32_t)i, (int32_t)-i, -i};

	register int64_t *after __asm__("r8") = squares + 1;

	counter[1] = i;
	MARK("first", "memory", "0",
		"4@(%%rsi) -4@4(%%rsi) -8@-8(%%rbx) 8@squares(,%%rdi,8) 8@(%%rdx,%%rdi,8) "
		"8@-8(%%r8,%%rdi,8) 8@counter+8(%%rip) 8@8+counter(%%rip) 8@8(%%rcx)",
		"S"(&words), "b"(&words + 1), "D"(i % 10), "d"(squares), "r"(after), "c"(counter),
		"m"(words));
}

/* numbers, and memory that cannot be read */
static __attribute__((noinline)) void constants(void)
{
	MARK("first", "constants", "0", "-4@$-5 4@$-5 8@$7 1@$0x101 8@0", "i"(0));
}

/* The mark has two places. */
static __attribute__((noinline)) void twice(int64_t i)
{
	MARK("first", "two__places", "0", "-8@%%rdi", "D"(i));
	MARK("second", "two__places", "0", "-8@%%rsi", "S"(1000 * i));
}

static __attribute__((noinline)) int guarded(int64_t i)
{
	if (!*(volatile unsigned short *)&guarded_semaphore)
		return 0;
	MARK("first", "guarded", "guarded_semaphore", "8@%%rdi", "D"(i));
	return 1;
}

int main(int argc, char **argv)
{
	int nr, on = 0;

	if (argc > 1 && !strcmp(argv[1], "wait")) {
		await_signal();
		argc--;
		argv++;
	}
	nr = argc > 1 ? atoi(argv[1]) : 0;
	for (int64_t i = 0; i < 10; i++)
		squares[i] = i * i;
	for (int64_t i = 1; i <= nr; i++) {
		in_registers(i);
		in_memory(i);
		constants();
		twice(i);
		on += guarded(i);
	}
	printf("%d\n", on);
	return 0;
}
