/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions by the sorted table in .eh_frame_hdr (Linux Standard Base, "Exception Frame Header"),
 * in the only encodings that linkers write: count udata4, table datarel sdata4. Each of the entries
 * is the start of a function, or of the part of one that the compiler moved elsewhere.
 */
#ifndef SYMBOL_ELF_EHFRAME_H
#define SYMBOL_ELF_EHFRAME_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;

/* Addresses are link addresses. */
struct ehframe_function {
	uint64_t start;
	/* such a part: its stack frame exists from the start on (x86-64 only) */
	bool is_cold;
	/* of signals: its rules begin one byte before it, as if it had called the handler */
	bool is_trampoline;
};

/* The function whose rules cover ADDRESS; false: none. */
bool ehframe_function(const struct elffile *elf, uint64_t address, struct ehframe_function *f);

/* The start of the next function after ADDRESS; 0: not known. */
uint64_t ehframe_next(const struct elffile *elf, uint64_t address);

#endif
