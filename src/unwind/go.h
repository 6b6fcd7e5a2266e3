/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds rows from Go's pclntab, which is better than Go's .debug_frame: that has no rule for rbp. */
#ifndef UNWIND_GO_H
#define UNWIND_GO_H

#include <stddef.h>

struct elf_code;
struct go;
struct pclntab;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;

/* TAB and the N segments CODE are used until go_free(). Returns NULL if TAB is NULL. */
struct go *go_new(const struct pclntab *tab, const struct elf_code *code, size_t n);
void go_free(struct go *go);
void go_ranges(const struct go *go, struct unwind_ranges *ranges);
/* Adds the rows of RANGE, which is one of the ranges of go_ranges() or a part of one. */
void go_rows(const struct go *go, const struct unwind_range *range, struct unwind_rows *rows);

#endif
