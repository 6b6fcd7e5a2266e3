/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a file something is known of callers: its functions, by address. */
#ifndef UNWIND_RANGE_H
#define UNWIND_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_code;

struct unwind_range {
	uint64_t start;       /* of the function */
	uint64_t from, to;    /* the part of it that counts */
	uint64_t where;       /* for the source */
	unsigned char source; /* for the caller */
};

struct unwind_ranges {
	struct unwind_range *list;
	size_t nr, alloc;
};

/* Adds the function of SIZE bytes at START; what no file can mean is passed over. */
void unwind_ranges_add(struct unwind_ranges *r, uint64_t start, uint64_t size, uint64_t where);
void unwind_ranges_release(struct unwind_ranges *r);

/* Cuts them to the N executable segments CODE, and drops those that begin in none. */
void unwind_ranges_cut(struct unwind_ranges *r, const struct elf_code *code, size_t n);

/*
 * Moves what MORE has, in any order, into R, which is sorted and free of overlap, and stays so: of
 * a new one only what lies before the next old one is used, and of two new ones the first by
 * address has its whole length. They belong to SOURCE then.
 */
void unwind_ranges_merge(struct unwind_ranges *r, struct unwind_ranges *more, unsigned char source);

/*
 * Puts SIZE bytes at START into sorted R as a function of SOURCE, unless START lies within another
 * function. The byte before belongs to it, too: it is entered by a return to its first byte, and
 * callers are looked up at the byte before.
 */
void unwind_ranges_put(
	struct unwind_ranges *r, uint64_t start, uint64_t size, unsigned char source);

#endif
