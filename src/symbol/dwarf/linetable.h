/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a compilation unit, read straight from .debug_line (DWARF 2 to 5): nothing but
 * the names of its files stays in memory, and code that the linker dropped cannot shadow other
 * code, as each sequence of lines is judged for itself.
 */
#ifndef SYMBOL_DWARF_LINETABLE_H
#define SYMBOL_DWARF_LINETABLE_H

#include "lib/bytes.h"

struct linetable;

struct linetable_source {
	struct bytes lines;         /* .debug_line from the unit's table on */
	struct bytes str, line_str; /* .debug_str, .debug_line_str: all of them */
	const char *folder;         /* of the compilation, NULL: not known */
	uint64_t size_max;          /* a longer table is none */
	uint64_t first_code;        /* what begins at a lower address was dropped by the linker */
};

struct linetable_place {
	const char *file; /* as long as the table, NULL: not known */
	uint32_t line;    /* 0: not known */
};

/* What SOURCE points to must outlive it. NULL: it is no line table. */
struct linetable *linetable_new(const struct linetable_source *source);
void linetable_free(struct linetable *lt);
uint64_t linetable_size(const struct linetable *lt); /* in bytes of .debug_line */

/* The path of a file by its number in the unit; NULL: not known. */
const char *linetable_file(struct linetable *lt, uint64_t number);

/* Sets those of N PLACES whose ADDRESSES (ascending) the table has; the others stay as they are. */
void linetable_find(
	struct linetable *lt, const uint64_t *addresses, size_t n, struct linetable_place *places);

#endif
