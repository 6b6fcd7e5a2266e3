/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's own table of functions, which every Go program has, stripped or not: their names, and how
 * far rsp is from the caller's frame, from Go 1.16 on.
 */
#ifndef SYMBOL_ELF_PCLNTAB_H
#define SYMBOL_ELF_PCLNTAB_H

#include "lib/bytes.h"

struct elffile;
struct pclntab;

/* NULL: the file has none, or one of another version. It lives as long as ELF. */
struct pclntab *pclntab_new(const struct elffile *elf);
void pclntab_free(struct pclntab *tab);

struct pclntab_function {
	uint64_t start, end;
	const char *name;    /* in the file's memory; NULL: none */
	struct bytes depths; /* as runs of code, see go.c; empty: not known */
};

uint64_t pclntab_count(const struct pclntab *tab);
/* The one with the number I, which is below the count. END may lie before START, or anywhere. */
struct pclntab_function pclntab_function(const struct pclntab *tab, uint64_t i);

#endif
