/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SYMBOL_ELF_ENTRY_H
#define SYMBOL_ELF_ENTRY_H

#include <stddef.h>
#include <stdint.h>

struct elffile;

struct entry_symbol {
	const char *name;
	uint64_t start, end;
};

enum { ENTRY_SYMBOLS = 2 };

/*
 * Finds _start and main without a symbol table: _start is the entry point in the ELF header, and
 * passes main to __libc_start_main as its first argument. Each ends at the next function in
 * .eh_frame_hdr. Returns the number of symbols found.
 */
size_t entry_symbols(const struct elffile *elf, struct entry_symbol symbols[ENTRY_SYMBOLS]);

#endif
