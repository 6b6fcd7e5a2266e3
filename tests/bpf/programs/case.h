/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of all cases. A case goes to a place where its stack does not change, prints
 * "spinning", and stays there for argv[1] seconds or until SIGTERM. Cases are built without debug
 * information, so that no unwinder shows inlined functions.
 */
#ifndef TESTS_BPF_PROGRAMS_CASE_H
#define TESTS_BPF_PROGRAMS_CASE_H

#include "../../programs/burn.h"

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

static inline __attribute__((always_inline)) void case_ready(void)
{
	static const char text[] = "spinning\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(2);
}

/* Makes the compiler keep the memory at AT. */
static inline __attribute__((always_inline)) void case_keep(volatile void *at)
{
	__asm__ volatile("" ::"r"(at) : "memory");
}

static volatile unsigned case_sink;

/* The leaf of most cases. */
__attribute__((unused)) static NOINLINE void spin(void)
{
	unsigned x = case_sink;

	case_ready();
	while (!burn_over)
		x = burn_unit(x);
	case_sink = x;
}

#endif
