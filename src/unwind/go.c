/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "go.h"
#include "lib/util.h"
#include "range.h"
#include "rows.h"
#include "symbol/elf/pclntab.h"

#include <string.h>

enum { REG_SP = 7 };

void go_ranges(const struct pclntab *tab, struct unwind_ranges *ranges)
{
	for (uint64_t i = 0; i < pclntab_count(tab); i++) {
		struct pclntab_function f = pclntab_function(tab, i);

		if (f.end > f.start)
			unwind_ranges_add(ranges, f.start, f.end - f.start, i);
	}
}

/* True if the function NAME is the outermost one of a goroutine or thread. */
static bool is_root(const char *name)
{
	/* the last two switch to the thread's own stack, where they are the outermost */
	static const char *const roots[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
		"runtime.systemstack", "runtime.mcall"};

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		size_t len = strlen(roots[i]);

		/* suffix .abi0 of assembly functions in some versions */
		if (!strncmp(name, roots[i], len) && (!name[len] || name[len] == '.'))
			return true;
	}
	return !strncmp(name, "_rt0_amd64", 10);
}

/* The rule where rsp is DEPTH bytes below the return address. rbp is pushed first. */
static bool rule_of(struct unwind_rule *rule, int64_t depth)
{
	*rule = (struct unwind_rule){
		.cfa = UNWIND_CFA_REG,
		.reg = REG_SP,
		.offset = (int32_t)(depth + 8),
		.ra = -1,
		.fp_saved = depth >= 8 ? UNWIND_AT_CFA : UNWIND_SAME,
		.fp = depth >= 8 ? -2 : 0,
		.bx_saved = UNWIND_LOST,
		.lost = 0xf, /* a function may change all registers */
	};
	return depth >= 0 && depth <= INT32_MAX - 8;
}

/* Decodes the pcsp table: pairs of the change of the depth (zigzag) and the bytes of code. */
static void add_rows(struct bytes runs, const struct unwind_range *range, struct unwind_rows *rows)
{
	uint64_t at = range->start;
	int64_t depth = -1;

	for (bool first = true; at < range->to; first = false) {
		uint64_t change = bytes_uleb(&runs), size = bytes_uleb(&runs);
		struct unwind_rule rule;

		if (runs.bad || (!change && !first) || !size || change > UINT32_MAX)
			return;
		if (size > range->to - at)
			size = range->to - at;
		depth += (int64_t)(change >> 1) ^ -(int64_t)(change & 1);
		if (depth != (int32_t)depth)
			return;
		unwind_rows_add_in(
			rows, range, at, at + size, rule_of(&rule, depth) ? &rule : NULL);
		at += size;
	}
}

void go_rows(const struct pclntab *tab, const struct unwind_range *range, struct unwind_rows *rows)
{
	struct pclntab_function f = pclntab_function(tab, range->where);

	if (f.name && is_root(f.name))
		unwind_rows_add_in(rows, range, range->from, range->to,
			&(struct unwind_rule){.cfa = UNWIND_CFA_ROOT});
	else if (f.depths.at)
		add_rows(f.depths, range, rows);
}
