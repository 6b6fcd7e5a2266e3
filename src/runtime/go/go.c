/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds rows from Go's pclntab, which is better than Go's .debug_frame: that has no rule for rbp. */
#include "go_depths.h"
#include "go_switch.h"
#include "lib/util.h"
#include "runtime/native.h"
#include "symbol/elf/elffile_internal.h"
#include "symbol/elf/pclntab.h"
#include "unwind/range.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>

struct go {
	struct pclntab *tab;
	const struct elf_code *code;
	size_t nr_code;
	struct unwind_rule systemstack; /* in runtime.systemstack, or of kind NONE */
};

static struct bytes code_of(const struct go *go, const struct pclntab_function *f)
{
	const struct elf_code *around = elf_code_around(go->code, go->nr_code, f->start);
	uint64_t at = around ? f->start - around->address : 0;

	if (!around || f->end < f->start || f->end - f->start > around->size - at)
		return (struct bytes){0};
	return (struct bytes){
		.at = around->bytes + at, .end = around->bytes + at + (f->end - f->start)};
}

static bool has_prefix(const char *name, const char *prefix)
{
	return begins_with(name, strlen(name), prefix);
}

/* Returns true if F may switch stacks, which only functions of the runtime do. */
static bool may_switch(const struct pclntab_function *f)
{
	return f->name && f->depths.at &&
	       (has_prefix(f->name, "runtime.") || has_prefix(f->name, "time.now"));
}

static size_t switches_of(
	const struct go *go, const struct pclntab_function *f, struct go_switch list[GO_SWITCHES])
{
	struct go_function function = {.start = f->start, .depths = f->depths, .name = f->name};

	if (!may_switch(f))
		return 0;
	function.code = code_of(go, f);
	return go_switches(&function, &go->systemstack, list);
}

static void find_systemstack(struct go *go)
{
	struct go_switch list[GO_SWITCHES];

	for (uint64_t i = 0; i < pclntab_count(go->tab); i++) {
		struct pclntab_function f = pclntab_function(go->tab, i);

		if (!f.name || !go_is_function(f.name, "runtime.systemstack"))
			continue;
		if (switches_of(go, &f, list))
			go->systemstack = list[0].rule;
		return;
	}
}

static void add_ranges(const struct pclntab *tab, struct unwind_ranges *ranges)
{
	for (uint64_t i = 0; i < pclntab_count(tab); i++) {
		struct pclntab_function f = pclntab_function(tab, i);

		if (f.end > f.start)
			unwind_ranges_add(ranges, f.start, f.end - f.start, i);
	}
}

static void *open_go(const struct elffile *elf, const struct elf_code *code, size_t n,
	struct unwind_ranges *ranges)
{
	struct pclntab *tab = pclntab_new(elf);
	struct go *go;

	if (!tab)
		return NULL;
	go = xmalloc(sizeof(*go));
	*go = (struct go){.tab = tab, .code = code, .nr_code = n};
	find_systemstack(go);
	add_ranges(tab, ranges);
	return go;
}

static void close_go(void *opened)
{
	struct go *go = opened;

	pclntab_free(go->tab);
	free(go);
}

/* Returns true if the function NAME is the outermost one of a goroutine or thread. */
static bool is_root(const char *name)
{
	return go_is_function(name, "runtime.goexit") || go_is_function(name, "runtime.mstart") ||
	       go_is_function(name, "runtime.rt0_go") || has_prefix(name, "_rt0_amd64");
}

/* Makes the rule where rsp is DEPTH bytes below the return address. Functions push rbp first. */
static bool rule_of(struct unwind_rule *rule, int64_t depth)
{
	*rule = (struct unwind_rule){
		.cfa = UNWIND_CFA_REG,
		.reg = REG_SP,
		.offset = (int32_t)(depth + 8),
		.ra = -1,
		.fp_saved = depth >= 8 ? UNWIND_AT_CFA : UNWIND_SAME,
		.fp = depth >= 8 ? -2 : 0,
		.base_saved = UNWIND_LOST,
		.lost = 0xf, /* a function may change all registers */
	};
	return depth >= 0 && depth <= INT32_MAX - 8;
}

/* Adds RULE from START to END, except in the N switches of LIST, which have rules of their own. */
static void add_around(struct unwind_rows *rows, const struct unwind_range *range, uint64_t start,
	uint64_t end, const struct unwind_rule *rule, const struct go_switch *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t from = list[i].from > start ? list[i].from : start;
		uint64_t to = list[i].to < end ? list[i].to : end;

		if (from >= to)
			continue;
		unwind_rows_add_in(rows, range, start, from, rule);
		unwind_rows_add_in(rows, range, from, to,
			list[i].rule.cfa == UNWIND_CFA_NONE ? NULL : &list[i].rule);
		start = to;
	}
	unwind_rows_add_in(rows, range, start, end, rule);
}

static void add_rows(const void *opened, const struct unwind_range *range, struct unwind_rows *rows)
{
	const struct go *go = opened;
	struct pclntab_function f = pclntab_function(go->tab, range->where);
	struct go_depths d = go_depths_of(f.depths, range->start);
	struct go_switch list[GO_SWITCHES];
	size_t n;

	if (f.name && is_root(f.name)) {
		unwind_rows_add_in(rows, range, range->from, range->to,
			&(struct unwind_rule){.cfa = UNWIND_CFA_ROOT});
		return;
	}
	if (!f.depths.at)
		return;
	n = switches_of(go, &f, list);
	for (bool first = true; d.end < range->to && go_depths_next(&d, first); first = false) {
		struct unwind_rule rule;
		uint64_t end = d.end < range->to ? d.end : range->to;

		add_around(
			rows, range, d.start, end, rule_of(&rule, d.depth) ? &rule : NULL, list, n);
	}
}

const struct native go_native = {.source = {.open = open_go, .rows = add_rows, .close = close_go}};
