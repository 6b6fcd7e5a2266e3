/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where handlers of signals return to: mov $__NR_rt_sigreturn,%eax; syscall. The kernel's context
 * lies at rsp there whatever else is said of it; musl and Go say nothing, or that it is a function
 * as others.
 */
#ifndef UNWIND_TRAMPOLINE_H
#define UNWIND_TRAMPOLINE_H

#include "format.h"

#include <stddef.h>

struct elf_code;
struct unwind_ranges;

extern const struct unwind_rule trampoline_rule;

/* Puts those in the N segments CODE into sorted RANGES. */
void trampolines_put(
	struct unwind_ranges *ranges, const struct elf_code *code, size_t n, unsigned char source);

#endif
