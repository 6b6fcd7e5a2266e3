/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of one file's code while they are gathered, out of which symimage is made. */
#ifndef SYMBOL_ELF_SYMLIST_H
#define SYMBOL_ELF_SYMLIST_H

#include "lib/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct symimage;

struct symlist {
	struct symlist_symbol *list;
	size_t nr, alloc;
	size_t names_max; /* bytes; symbols are left out from the first on whose name does not fit
			   */
	struct strbuf image; /* room for the header, then the names, which are copied */
};

void symlist_init(struct symlist *l);

/* Adds the functions of ELF's first table of TYPE; false when there is none with functions. */
bool symlist_add_table(struct symlist *l, const struct elffile *elf, uint32_t type);

/* Go's own table, which strip leaves; false when there is none with functions. */
bool symlist_add_go(struct symlist *l, const struct elffile *elf);

/* _start and main, where no other symbol is; false when they are not known. */
bool symlist_add_entry(struct symlist *l, const struct elffile *elf);

/* Makes IMAGE of all that was added; the list is gone. */
void symlist_finish(struct symlist *l, uint32_t source, struct symimage *image);

#endif
