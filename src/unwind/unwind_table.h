/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables: see format.h for their layout, unwind_build.h for how they are made. */
#ifndef UNWIND_UNWIND_TABLE_H
#define UNWIND_UNWIND_TABLE_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_table {
	union {
		const struct unwind_header *header;
		const unsigned char *blocks; /* header->nr_blocks blocks */
	};
	size_t size; /* bytes */
	bool mapped; /* by mmap, otherwise allocated */
};

/*
 * Opens a table that was written to FD. Returns -1 if it is damaged, of another version, or not for
 * BUILD_ID. The table is not trusted: every number in it is checked here or where it is used.
 */
int unwind_table_open(struct unwind_table *table, int fd, const char *build_id);
void unwind_table_release(struct unwind_table *table);

/* Gives back the memory of a table that was opened. It is read again where it is used. */
void unwind_table_unload(const struct unwind_table *table);

/* Returns the checksum of an image of SIZE bytes. */
uint64_t unwind_table_checksum(const unsigned char *blocks, size_t size);

/* Returns the rule for the link address ADDRESS, never NULL. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address);

#endif
