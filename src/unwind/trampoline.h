/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal return trampolines: see shape_sigreturn(). The kernel's context is at REG_SP there. The
 * unwind information does not say so: musl and Go have none for the trampoline, or the rules of an
 * ordinary function.
 */
#ifndef UNWIND_TRAMPOLINE_H
#define UNWIND_TRAMPOLINE_H

#include "format.h"

#include <stddef.h>

struct elf_code;
struct unwind_ranges;

extern const struct unwind_rule trampoline_rule;

/* Inserts the trampolines in the N segments CODE into sorted RANGES. */
void trampolines_put(
	struct unwind_ranges *ranges, const struct elf_code *code, size_t n, unsigned char source);

#endif
