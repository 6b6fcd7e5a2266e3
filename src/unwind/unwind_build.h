/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the unwind table of an ELF file. */
#ifndef UNWIND_UNWIND_BUILD_H
#define UNWIND_UNWIND_BUILD_H

#include <stdbool.h>

struct elffile;
struct strbuf;
struct unwind_source;
struct unwind_table;

/*
 * Makes the table of ELF from .eh_frame, SOURCES, which end with NULL, and .debug_frame, in this
 * order of preference for each address. Signal return trampolines are found by their code. With
 * ANALYSED, the remaining code is analysed for its rules, which takes longer, see
 * analysis/analysis.h. Returns -1 with NULL in blocks, and sets ERR, if there are no rules or the
 * file is for another processor.
 */
int unwind_build(struct unwind_table *table, struct elffile *elf,
	const struct unwind_source *const *sources, bool analysed, struct strbuf *err);

#endif
