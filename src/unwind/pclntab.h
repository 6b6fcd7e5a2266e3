/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Go's own table of functions, which every Go program has, stripped or not: how far rsp is from the
 * caller's frame, from Go 1.16 on. Better than Go's .debug_frame, which does not say where rbp is.
 */
#ifndef UNWIND_PCLNTAB_H
#define UNWIND_PCLNTAB_H

struct elffile;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;

struct pclntab;

/* NULL: the file has none, or one of another version. It lives as long as ELF. */
struct pclntab *pclntab_new(const struct elffile *elf);
void pclntab_free(struct pclntab *tab);

void pclntab_ranges(const struct pclntab *tab, struct unwind_ranges *ranges);
/* RANGE is one of those, perhaps cut. */
void pclntab_rows(
	const struct pclntab *tab, const struct unwind_range *range, struct unwind_rows *rows);

#endif
