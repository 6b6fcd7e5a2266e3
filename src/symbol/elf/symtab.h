/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file. Addresses are link addresses, as from elffile_address.
 */
#ifndef SYMBOL_ELF_SYMTAB_H
#define SYMBOL_ELF_SYMTAB_H

#include "symimage.h"

struct elffile;
struct symstore;
struct symtab;

struct symtab_hit {
	/* mangled, without symbol version; not NUL-terminated, valid as long as the table */
	const char *name;
	size_t name_len;
	uint64_t start; /* of the function */
	/* of the part of it that the address is in, which other symbols may divide; UINT64_MAX: not
	 * known */
	uint64_t end;
	bool plt; /* a PLT stub that jumps to NAME */
};

/*
 * Reads the symbols of the mapped file ELF, which must outlive the table, or of its debug file
 * DEBUG, whichever has more. Either may be NULL: without ELF there are no PLT stubs, entry point
 * and Go functions. Uses the table cached in STORE (may be NULL), or writes it there. Never NULL:
 * without symbols the table is empty.
 */
struct symtab *symtab_new(
	const struct elffile *elf, const struct elffile *debug, struct symstore *store);
void symtab_free(struct symtab *tab);

/* Where the functions come from. */
enum symtab_source symtab_source(const struct symtab *tab);

/*
 * The function at ADDRESS; false: none, as in the gap after a function with a size.
 */
bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit);

/* True if ADDRESS is in main, by the entry point or, if that is inconclusive, by symbols. */
bool symtab_is_main(const struct elffile *elf, uint64_t address);

#endif
