/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions according to the sorted table in .eh_frame_hdr (Linux Standard Base, "Exception Frame
 * Header"), in the only encodings that linkers write: count udata4, table datarel sdata4. Each
 * entry is the start of a function, or of a part of a function that the compiler moved elsewhere.
 */
#ifndef SYMBOL_ELF_EHFRAME_H
#define SYMBOL_ELF_EHFRAME_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* Addresses are link addresses. */
struct ehframe_function {
	uint64_t start;
	/* it is such a part, whose stack frame exists from its start on */
	bool is_cold;
	/*
	 * it is a signal trampoline, whose rules begin one byte before it, as if it had called the
	 * handler
	 */
	bool is_trampoline;
};

/* Finds the function whose rules cover ADDRESS. Returns false if there is none. */
bool ehframe_function(const struct elffile *elf, uint64_t address, struct ehframe_function *f);

/* Returns the start of the next function after ADDRESS, or 0 if it is not known. */
uint64_t ehframe_next(const struct elffile *elf, uint64_t address);

#endif
