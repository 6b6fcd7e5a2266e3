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
	/* mangled, without symbol version, not NUL-terminated; valid as long as the table */
	const char *name;
	size_t name_len;
	uint64_t start; /* of the function */
	/*
	 * end of the part of the function that the address is in, as other symbols may divide it,
	 * or UINT64_MAX if it is not known
	 */
	uint64_t end;
	bool plt; /* a PLT stub that jumps to NAME */
};

/*
 * Reads the symbols of the mapped file ELF, which must outlive the table, or of its debug file
 * DEBUG, whichever has more. Either may be NULL. Without ELF there are no PLT stubs, entry point
 * and Go functions. Uses the table cached in STORE, or writes it there. STORE may be NULL. The
 * result is never NULL; without symbols the table is empty.
 */
struct symtab *symtab_new(
	const struct elffile *elf, const struct elffile *debug, struct symstore *store);
void symtab_free(struct symtab *tab);

/* Returns the source of the functions. */
enum symtab_source symtab_source(const struct symtab *tab);

/*
 * Finds the function at ADDRESS. Returns false if there is none, as in the gap after a function
 * with a size.
 */
bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit);

/*
 * Returns whether ADDRESS is in main, by the entry point or, if that is inconclusive, by symbols.
 */
bool symtab_is_main(const struct elffile *elf, uint64_t address);

#endif
