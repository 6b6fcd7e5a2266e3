/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SYMBOL_ELF_ENTRY_H
#define SYMBOL_ELF_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;

struct entry_symbol {
	const char *name;
	uint64_t start, end;
};

enum { ENTRY_SYMBOLS = 2 };

/*
 * _start and main of a program, which need no symbol table: the ELF header tells where the first
 * one is, and it passes the second one to __libc_start_main as its first argument. Each reaches to
 * the next function that .eh_frame_hdr knows. Returns how many were found; x86-64 only.
 */
size_t entry_symbols(const struct elffile *elf, struct entry_symbol symbols[ENTRY_SYMBOLS]);

/* True when ADDRESS is in a program's main, as far as the entry or, where that leaves it open,
 * symbols tell. */
bool entry_is_main(const struct elffile *elf, uint64_t address);

#endif
