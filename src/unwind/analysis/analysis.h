/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for code that has none in its file, such as hand-written assembly: from the machine code
 * itself, see code_flow.h.
 */
#ifndef UNWIND_ANALYSIS_ANALYSIS_H
#define UNWIND_ANALYSIS_ANALYSIS_H

#include <stddef.h>

struct analysis;
struct elf_code;
struct elffile;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;
struct unwind_rule;

/*
 * Analyses what RANGES leave out of the N segments CODE of ELF. Freed by analysis_free(); NULL:
 * there is nothing to analyse, or too much.
 */
struct analysis *analysis_new(const struct elffile *elf, const struct elf_code *code, size_t n,
	const struct unwind_ranges *ranges);
void analysis_free(struct analysis *a);

/* Adds what was analysed to RANGES. */
void analysis_ranges(const struct analysis *a, struct unwind_ranges *ranges);
/*
 * Adds the rules for RANGE, which is one of these, or a part of one. HOST, unless NULL, is the rule
 * of code that has none of its own.
 */
void analysis_rows(const struct analysis *a, const struct unwind_range *range,
	const struct unwind_rule *host, struct unwind_rows *rows);

#endif
