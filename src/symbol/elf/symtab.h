/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file. Addresses are those of the file's own headers, as elffile_address
 * gives.
 */
#ifndef SYMBOL_ELF_SYMTAB_H
#define SYMBOL_ELF_SYMTAB_H

#include "symimage.h"

struct elffile;
struct symstore;
struct symtab;

struct symtab_hit {
	const char *name; /* mangled, without symbol version; not NUL-terminated, valid as long as
			     the table */
	size_t name_len;
	uint64_t start; /* of the function */
	bool plt;       /* the stub that jumps to NAME */
};

/*
 * The table of the mapped file ELF, which must outlive it, and of its separate debug file DEBUG,
 * whichever knows more. Either may be NULL: without ELF there are no stubs, no entry and no Go
 * functions. STORE may have the table from another time, or gets it; NULL: neither. Never NULL: a
 * file without symbols has an empty one.
 */
struct symtab *symtab_new(
	const struct elffile *elf, const struct elffile *debug, struct symstore *store);
void symtab_free(struct symtab *tab);

/* Where its functions are from: SYMTAB_NONE, DYNSYM, OWN or DEBUG. */
enum symtab_source symtab_source(const struct symtab *tab);

/*
 * The function that holds ADDRESS; false where there is none, as in the gap behind a sized
 * function.
 */
bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit);

#endif
