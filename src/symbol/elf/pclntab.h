/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's function table (Go 1.16 or later), which stripped programs have, too. It has the names of
 * functions, and the distance from REG_SP to the caller's frame.
 */
#ifndef SYMBOL_ELF_PCLNTAB_H
#define SYMBOL_ELF_PCLNTAB_H

#include "elfdata.h"
#include "lib/bytes.h"

struct elffile;
struct pclntab;

/* Finds the table, valid as long as ELF. Returns NULL if there is none of a known version. */
struct pclntab *pclntab_new(const struct elffile *elf);
void pclntab_free(struct pclntab *tab);

struct pclntab_function {
	uint64_t start, end;
	const char *name;    /* in the file's memory, or NULL if there is none */
	struct bytes depths; /* the pcsp table, see unwind/go.c; empty if it is not known */
};

uint64_t pclntab_count(const struct pclntab *tab);
/* Returns function I, which must be below the count. START and END are not checked. */
struct pclntab_function pclntab_function(const struct pclntab *tab, uint64_t i);

/*
 * Sets FUNCTION to the link address and size of the function NAME of ELF. Returns false if there is
 * none.
 */
bool pclntab_find(const struct elffile *elf, const char *name, struct elf_variable *function);

#endif
