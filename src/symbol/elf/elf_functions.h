/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions in the symbol tables of a file, as they stand there. */
#ifndef SYMBOL_ELF_ELF_FUNCTIONS_H
#define SYMBOL_ELF_ELF_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;

struct elf_function {
	const char *name;
	uint64_t address; /* at which it is linked */
	uint64_t offset;  /* in the file */
	const unsigned char *code;
	size_t size; /* bytes of code, or 0 if the symbol has no size */
	bool is_resolver; /* it chooses another function when the program starts (IFUNC) */
	bool is_untyped;  /* as functions written in assembler may be */
};

/*
 * Calls TAKE for each function of the symbol tables whose code is in the file. A function may come
 * under several names, and twice if it is in both tables. Names are without symbol versions.
 */
void elf_functions_each(const struct elffile *elf,
	void (*take)(void *context, const struct elf_function *function), void *context);

#endif
