/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of a file that have unwind rules, by address. */
#ifndef UNWIND_RANGE_H
#define UNWIND_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_code;

struct unwind_range {
	uint64_t start;       /* start of the function */
	uint64_t from, to;    /* the part of the function that is used */
	uint64_t where;       /* has a meaning for the source only */
	unsigned char source; /* has a meaning for the caller only */
};

struct unwind_ranges {
	struct unwind_range *list;
	size_t nr, alloc;
};

/* Adds the function of SIZE bytes at START. Invalid functions are ignored. */
void unwind_ranges_add(struct unwind_ranges *r, uint64_t start, uint64_t size, uint64_t where);
void unwind_ranges_release(struct unwind_ranges *r);

/*
 * Cuts the ranges to the N executable segments CODE, and drops ranges that start outside of them.
 */
void unwind_ranges_cut(struct unwind_ranges *r, const struct elf_code *code, size_t n);

/*
 * Moves the ranges of MORE, in any order, into R. R is sorted and free of overlap, and stays so: a
 * new range is cut at the next old range. If two new ranges overlap, the one with the lower address
 * is kept whole. The new ranges get the source SOURCE.
 */
void unwind_ranges_merge(struct unwind_ranges *r, struct unwind_ranges *more, unsigned char source);

/*
 * Inserts SIZE bytes at START into sorted R as a function of SOURCE, unless START is inside another
 * function. The byte before START is included: the function is entered by a return to START, and
 * callers are looked up at the return address minus 1.
 */
void unwind_ranges_put(
	struct unwind_ranges *r, uint64_t start, uint64_t size, unsigned char source);

#endif
