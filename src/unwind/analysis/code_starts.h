/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds where functions begin in code without unwind information, from the rest of the file. */
#ifndef UNWIND_ANALYSIS_CODE_STARTS_H
#define UNWIND_ANALYSIS_CODE_STARTS_H

#include <stddef.h>
#include <stdint.h>

struct code_flow;
struct elf_code;
struct elffile;
struct unwind_ranges;

struct code_starts {
	/* Addresses in the pieces. called has functions that are called or have a symbol. */
	uint64_t *called, *referenced;
	size_t nr_called, nr_referenced, called_alloc, referenced_alloc;
	size_t nr_seen; /* symbols and relocations */
};

/* CODE is the N segments of ELF; RANGES is the functions that have unwind information. */
void code_starts_find(struct code_starts *s, const struct code_flow *flow,
	const struct elffile *elf, const struct elf_code *code, size_t n,
	const struct unwind_ranges *ranges);
void code_starts_release(struct code_starts *s);

#endif
