/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds a table from rows in ascending order of addresses. */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "format.h"
#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfa_state;
struct elf_code;
struct elffile;
struct strbuf;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;
struct unwind_table;

enum { UNWIND_SOURCES_MAX = 16 };

/*
 * What a runtime adds to the tables of files. The first three functions may be NULL, and so may the
 * last one.
 */
struct unwind_source {
	/*
	 * Adds the ranges that the runtime has rules for. Returns what the other functions need, or
	 * NULL if ELF has none of its data. ELF and its N segments CODE are used until close().
	 */
	void *(*open)(const struct elffile *elf, const struct elf_code *code, size_t n,
		struct unwind_ranges *ranges);
	/* Adds the rows of RANGE, which is one of these ranges or a part of one. */
	void (*rows)(
		const void *opened, const struct unwind_range *range, struct unwind_rows *rows);
	void (*close)(void *opened);
	/* Changes RULE, by STATE the rule of a function of SIZE bytes, if it is the runtime's. */
	void (*mark)(const struct cfa_state *state, uint64_t size, struct unwind_rule *rule);
};

struct unwind_rows {
	struct table numbers; /* rule -> number */
	struct unwind_rule *rules;
	size_t nr_rules, rules_alloc;
	struct unwind_leaf *leaves;
	uint32_t *starts; /* addresses of the leaves */
	size_t nr_leaves, leaves_alloc, starts_alloc;
	size_t filled; /* rows in the last leaf */
	uint64_t base, end, nr_rows, nr_unsupported;
	uint16_t last; /* the last row's rule */
	bool too_large;
	bool analysed;                              /* copied to the header */
	const struct unwind_source *const *sources; /* whose marks are set, or NULL */
	/*
	 * the rule of a function whose frame code without unwind information uses, or of kind NONE
	 */
	struct unwind_rule host;
};

void unwind_rows_init(struct unwind_rows *rows);
void unwind_rows_release(struct unwind_rows *rows);

/*
 * Adds RULE for the addresses from START to END. RULE is NULL if it cannot be expressed. START must
 * not be below the previous END; a gap has no rule.
 */
void unwind_rows_add(
	struct unwind_rows *rows, uint64_t start, uint64_t end, const struct unwind_rule *rule);

/* Adds RULE for the part of these addresses that is in RANGE. */
void unwind_rows_add_in(struct unwind_rows *rows, const struct unwind_range *range, uint64_t start,
	uint64_t end, const struct unwind_rule *rule);

/* Makes TABLE from the rows. Returns -1 and sets ERR if there are none, or too many for a table. */
int unwind_rows_finish(struct unwind_rows *rows, const char *build_id, struct unwind_table *table,
	struct strbuf *err);

#endif
