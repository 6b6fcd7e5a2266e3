/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes and opens unwind tables; format.h says what they look like. */
#ifndef UNWIND_UNWIND_TABLE_H
#define UNWIND_UNWIND_TABLE_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct strbuf;

struct unwind_table {
	union {
		const struct unwind_header *header;
		const unsigned char *blocks; /* header->nr_blocks of them */
	};
	size_t size; /* bytes */
	bool mapped; /* munmap it; else free it */
};

/*
 * The table of ELF: from .eh_frame; where that says nothing, from Go's pclntab; where that says
 * nothing, from .debug_frame. Return trampolines of signals are known by their code. NULL in blocks
 * and ERR when the file says nothing of its callers (it has no such section, or none that can be
 * read), or is not for x86-64.
 */
int unwind_table_build(struct unwind_table *table, struct elffile *elf, struct strbuf *err);

/*
 * Opens a table that was written to FD before: -1 when it is damaged, of another version, or not of
 * BUILD_ID. What it holds may be anything: every number in it is checked here or where it is used.
 */
int unwind_table_open(struct unwind_table *table, int fd, const char *build_id);
void unwind_table_release(struct unwind_table *table);

/* What header.checksum must be of an image of SIZE bytes. */
uint64_t unwind_table_checksum(const unsigned char *blocks, size_t size);

/* The rule for ADDRESS, as the file's program headers count; never NULL. */
const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address);

#endif
