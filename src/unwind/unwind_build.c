/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind_build.h"
#include "arch/x86_64/code_shapes.h"
#include "arch/x86_64/elf_names.h"
#include "analysis/analysis.h"
#include "cfi.h"
#include "lib/util.h"
#include "range.h"
#include "rows.h"
#include "symbol/elf/elffile_internal.h"
#include "trampoline.h"
#include "unwind_table.h"

#include <string.h>

enum { CODE_MAX = 64 }; /* segments; further ones are ignored */

/* The sources of ranges: from RUNTIMES on, the list of what runtimes add. */
enum source { EH_FRAME, DEBUG_FRAME, TRAMPOLINE, ENTRY, ANALYSIS, RUNTIMES };

struct build {
	struct elf_code code[CODE_MAX];
	size_t nr_code;
	struct cfi *eh_frame, *debug_frame;
	const struct unwind_source *const *sources;
	void *opened[UNWIND_SOURCES_MAX]; /* of each source, or NULL */
	struct analysis *analysis; /* or NULL if it is not wanted, or there is nothing to analyse */
	struct unwind_ranges ranges;
	struct unwind_rule host;
	bool has_host;
};

/* Adds MORE, which it releases, to where no source has rules that was merged before. */
static void merge(struct build *b, struct unwind_ranges *more, size_t source)
{
	unwind_ranges_cut(more, b->code, b->nr_code);
	unwind_ranges_merge(&b->ranges, more, (unsigned char)source);
	unwind_ranges_release(more);
}

/* Returns true if a program begins at ADDRESS like a dynamic linker. */
static bool is_entry(const struct build *b, uint64_t address)
{
	const struct elf_code *around = elf_code_around(b->code, b->nr_code, address);
	uint64_t at = around ? address - around->address : 0;

	return around && shape_is_start(around->bytes + at, around->size - at);
}

/* Marks the start of a process, which has no caller. glibc's dynamic linker has no rules there. */
static void put_entry(struct build *b, const struct elffile *elf)
{
	GElf_Ehdr ehdr;

	if (gelf_getehdr(elffile_elf(elf), &ehdr) && is_entry(b, ehdr.e_entry))
		unwind_ranges_put(&b->ranges, ehdr.e_entry + 1, SHAPE_START - 1, ENTRY);
}

static void merge_runtimes(struct build *b, const struct elffile *elf)
{
	for (size_t i = 0; b->sources[i]; i++) {
		const struct unwind_source *s = b->sources[i];
		struct unwind_ranges more = {0};

		if (s->open)
			b->opened[i] = s->open(elf, b->code, b->nr_code, &more);
		merge(b, &more, RUNTIMES + i);
	}
}

static void gather(struct build *b, const struct elffile *elf)
{
	struct unwind_ranges more = {0};

	b->nr_code = elffile_code(elf, b->code, CODE_MAX);
	b->eh_frame = cfi_eh_frame(elf);
	if (b->eh_frame)
		cfi_ranges(b->eh_frame, &more);
	merge(b, &more, EH_FRAME);
	merge_runtimes(b, elf);
	b->debug_frame = cfi_debug_frame(elf);
	if (b->debug_frame)
		cfi_ranges(b->debug_frame, &more);
	merge(b, &more, DEBUG_FRAME);
	trampolines_put(&b->ranges, b->code, b->nr_code, TRAMPOLINE);
	put_entry(b, elf);
}

/*
 * Haskell code has no unwind information, and no returns that the analysis could trust. It leaves
 * REG_SP where StgRun has set it before it jumped to the code, so StgRun's rule is valid for the
 * code, too.
 */
static void find_host(struct build *b)
{
	struct unwind_rows rows;

	if (!b->eh_frame || !cfi_may_have_host(b->eh_frame))
		return;
	unwind_rows_init(&rows);
	for (size_t i = 0; i < b->ranges.nr; i++)
		if (b->ranges.list[i].source == EH_FRAME)
			cfi_rows(b->eh_frame, &b->ranges.list[i], &rows);
	b->host = rows.host;
	b->has_host = rows.host.cfa != UNWIND_CFA_NONE;
	unwind_rows_release(&rows);
}

/* Finds rules for code that has none by analysis of the code. */
static void analyse(struct build *b, const struct elffile *elf)
{
	struct unwind_ranges more = {0};

	b->analysis = analysis_new(elf, b->code, b->nr_code, &b->ranges);
	if (b->analysis)
		analysis_ranges(b->analysis, &more);
	find_host(b);
	merge(b, &more, ANALYSIS);
}

static void build_release(struct build *b)
{
	unwind_ranges_release(&b->ranges);
	cfi_free(b->eh_frame);
	cfi_free(b->debug_frame);
	analysis_free(b->analysis);
	for (size_t i = 0; b->sources[i]; i++)
		if (b->opened[i])
			b->sources[i]->close(b->opened[i]);
}

static void add_rows(const struct build *b, struct unwind_rows *rows)
{
	for (size_t i = 0; i < b->ranges.nr; i++) {
		const struct unwind_range *range = &b->ranges.list[i];
		size_t runtime;

		switch (range->source) {
		case EH_FRAME:
			cfi_rows(b->eh_frame, range, rows);
			break;
		case DEBUG_FRAME:
			cfi_rows(b->debug_frame, range, rows);
			break;
		case TRAMPOLINE:
			unwind_rows_add(rows, range->from, range->to, &trampoline_rule);
			break;
		case ENTRY:
			unwind_rows_add(rows, range->from, range->to,
				&(struct unwind_rule){.cfa = UNWIND_CFA_ROOT});
			break;
		case ANALYSIS:
			analysis_rows(b->analysis, range, b->has_host ? &b->host : NULL, rows);
			break;
		default:
			runtime = range->source - RUNTIMES;
			b->sources[runtime]->rows(b->opened[runtime], range, rows);
		}
	}
}

static bool is_supported(const struct elffile *elf)
{
	GElf_Ehdr ehdr;

	return gelf_getehdr(elffile_elf(elf), &ehdr) && ehdr.e_machine == MACHINE &&
	       ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}

int unwind_build(struct unwind_table *table, struct elffile *elf,
	const struct unwind_source *const *sources, bool analysed, struct strbuf *err)
{
	struct build b = {.sources = sources};
	struct unwind_rows rows;

	*table = (struct unwind_table){0};
	if (!is_supported(elf))
		return fail(err, "it is not for " MACHINE_NAME);
	gather(&b, elf);
	if (analysed)
		analyse(&b, elf);
	unwind_rows_init(&rows);
	rows.analysed = analysed;
	rows.sources = sources;
	add_rows(&b, &rows);
	int ret = unwind_rows_finish(&rows, elffile_build_id(elf), table, err);

	unwind_rows_release(&rows);
	build_release(&b);
	return ret;
}
