/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line table of a compilation unit, read directly from .debug_line (DWARF 2 to 5). This way
 * only the names of its files stay in memory. Code that the linker removed cannot hide other code,
 * as each sequence is checked separately.
 */
#ifndef SYMBOL_DWARF_LINETABLE_H
#define SYMBOL_DWARF_LINETABLE_H

#include "lib/bytes.h"

struct linetable;

struct linetable_source {
	struct bytes lines;         /* .debug_line from the unit's table to the end */
	struct bytes str, line_str; /* the whole sections .debug_str and .debug_line_str */
	const char *folder;         /* compilation directory, or NULL if it is not known */
	uint64_t size_max;          /* longer tables are invalid */
	uint64_t first_code;        /* sequences at lower addresses were removed by the linker */
};

struct linetable_line {
	const char *file;       /* valid as long as the table, or NULL if it is not known */
	uint32_t line;          /* or 0 if it is not known */
	uint32_t discriminator; /* tells parts of the line apart, or 0 */
};

/* Reads a line table. The data of SOURCE must outlive it. Returns NULL if it is malformed. */
struct linetable *linetable_new(const struct linetable_source *source);
void linetable_free(struct linetable *lt);
uint64_t linetable_size(const struct linetable *lt); /* bytes in .debug_line */

/* Returns the path of a file by its number in the unit, or NULL if it is not known. */
const char *linetable_file(struct linetable *lt, uint64_t number);

/* Sets RESULTS[i] for each of the N ADDRESSES (ascending) that the table has. */
void linetable_find(
	struct linetable *lt, const uint64_t *addresses, size_t n, struct linetable_line *results);

#endif
