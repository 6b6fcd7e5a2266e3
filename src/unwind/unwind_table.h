/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables: see format.h for their layout, unwind_build.h for how they are made. */
#ifndef UNWIND_UNWIND_TABLE_H
#define UNWIND_UNWIND_TABLE_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_table {
	const struct unwind_header *header; /* block 0, or after unwind_table_move() a copy */
	const unsigned char *blocks;        /* block N is N * UNWIND_BLOCK bytes behind */
	size_t size;                        /* bytes of all blocks */
	bool mapped; /* by mmap; otherwise the header's memory is allocated */
};

/*
 * Opens a table that was written to FD. Returns -1 if it is damaged, of another version, or not for
 * BUILD_ID. The table is not trusted: every number in it is checked here or where it is used.
 */
int unwind_table_open(struct unwind_table *table, int fd, const char *build_id);
void unwind_table_release(struct unwind_table *table);

/* Makes the table use the copy that the caller has of its blocks from 1 on, and frees its own. */
void unwind_table_move(struct unwind_table *table, const void *blocks);

/* Returns the checksum of an image of SIZE bytes. */
uint64_t unwind_table_checksum(const unsigned char *blocks, size_t size);

/* Returns the rule for the link address ADDRESS, never NULL. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address);

#endif
