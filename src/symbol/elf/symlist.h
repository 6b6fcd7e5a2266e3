/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects the symbols of one file's code and makes a symimage of them. */
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
	size_t names_max;    /* bytes; no symbols are added after the first that does not fit */
	struct strbuf image; /* space for the header, then the names */
};

void symlist_init(struct symlist *l);

/* Adds the functions of ELF's first symbol table of TYPE. Returns false if there are none. */
bool symlist_add_table(struct symlist *l, const struct elffile *elf, uint32_t type);

/* Adds the functions of Go's pclntab. Returns false if there are none. */
bool symlist_add_go(struct symlist *l, const struct elffile *elf);

/*
 * Adds _start and main, used where there are no other symbols. Returns false if they are not known.
 */
bool symlist_add_entry(struct symlist *l, const struct elffile *elf);

/* Makes IMAGE of all symbols and releases the list. */
void symlist_finish(struct symlist *l, uint32_t source, struct symimage *image);

#endif
