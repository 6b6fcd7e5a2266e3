/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Derives rules from the machine code of functions without unwind information, such as hand-written
 * assembly; see code_flow.h.
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
 * Analyses the code of ELF in the N segments CODE that is outside RANGES. To be freed by
 * analysis_free(). Returns NULL if there is no such code, or too much of it.
 */
struct analysis *analysis_new(const struct elffile *elf, const struct elf_code *code, size_t n,
	const struct unwind_ranges *ranges);
void analysis_free(struct analysis *a);

/* Adds the ranges of the analysed code to RANGES. */
void analysis_ranges(const struct analysis *a, struct unwind_ranges *ranges);
/*
 * Adds the rules for RANGE, which is one of the analysed ranges or a part of one. HOST is the rule
 * for code that has no rule of its own, or NULL.
 */
void analysis_rows(const struct analysis *a, const struct unwind_range *range,
	const struct unwind_rule *host, struct unwind_rows *rows);

#endif
