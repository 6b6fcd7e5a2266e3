/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of one file. Addresses are those of the file's own headers, as elffile_address
 * gives.
 */
#ifndef SYMTAB_H
#define SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct symtab;

struct symtab_hit {
	const char *name; /* mangled, without symbol version; not NUL-terminated, valid as long as
			     the table */
	size_t name_len;
	uint64_t start; /* of the function */
	bool plt;       /* the stub that jumps to NAME */
};

/*
 * The table of ELF, which must outlive it and was found under ROOT as PATH; with the symbols of its
 * installed debug file, or of Go's own table where there is no .symtab. Never NULL: a file without
 * symbols has an empty one.
 */
struct symtab *symtab_new(const struct elffile *elf, const char *path, const char *root);
void symtab_free(struct symtab *tab);

/*
 * The function that holds ADDRESS; false where there is none, as in the gap behind a sized
 * function.
 */
bool symtab_find(struct symtab *tab, uint64_t address, struct symtab_hit *hit);

#endif
