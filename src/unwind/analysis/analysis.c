/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "analysis.h"
#include "code_flow.h"
#include "code_starts.h"
#include "arch/x86_64/hosted.h"
#include "arch/x86_64/insn.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"
#include "unwind/range.h"
#include "unwind/rows.h"

#include <stdlib.h>

enum {
	SECTIONS_MAX = 64, /* sections with code; further sections are ignored */
	/* the number of instructions that are decoded for code in a host's frame */
	LOOKS_A_BYTE = 4,
	LOOKS_MIN = 1000, /* added, for small pieces of code */
};

struct analysis {
	struct code_flow flow;
};

/* Returns true if the SIZE bytes are only padding between functions. */
static bool is_padding(const unsigned char *bytes, uint64_t size)
{
	struct insn insn;

	for (uint64_t at = 0; at < size; at += insn.length) {
		insn.length = 1;
		if (bytes[at] &&
			(!insn_decode(&insn, bytes + at, size - at) || !insn_is_padding(&insn)))
			return false;
	}
	return true;
}

/* Adds the code between START and END that is outside RANGES. Returns false if it is too much. */
static bool add_gaps(struct code_flow *flow, const struct unwind_ranges *ranges, uint64_t start,
	uint64_t end, const unsigned char *bytes)
{
	uint64_t at = start;

	for (size_t i = 0; i <= ranges->nr && at < end; i++) {
		uint64_t to = i < ranges->nr ? ranges->list[i].from : end;

		if (to > end)
			to = end;
		if (to > at && !is_padding(bytes + (at - start), to - at) &&
			!code_flow_add(flow, at, to, bytes + (at - start)))
			return false;
		if (i < ranges->nr && ranges->list[i].to > at)
			at = ranges->list[i].to;
	}
	return true;
}

/* Finds the sections with code in the N segments CODE, or takes the segments if there are none. */
static size_t find_sections(
	const struct elffile *elf, const struct elf_code *code, size_t n, struct elf_code *sections)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t nr = 0;

	while ((scn = elf_nextscn(elffile_elf(elf), scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS ||
			!(shdr.sh_flags & SHF_EXECINSTR) || nr == SECTIONS_MAX)
			continue;
		for (size_t i = 0; i < n; i++) {
			uint64_t at = shdr.sh_addr - code[i].address;

			if (at >= code[i].size || shdr.sh_size > code[i].size - at)
				continue;
			sections[nr++] =
				(struct elf_code){shdr.sh_addr, shdr.sh_size, code[i].bytes + at};
			break;
		}
	}
	for (size_t i = 0; !nr && i < n && i < SECTIONS_MAX; i++)
		sections[nr++] = code[i];
	return nr;
}

static int compare_code(const void *va, const void *vb)
{
	const struct elf_code *a = va, *b = vb;

	return compare_u64(a->address, b->address);
}

static bool add_pieces(struct code_flow *flow, const struct elffile *elf,
	const struct elf_code *code, size_t n, const struct unwind_ranges *ranges)
{
	struct elf_code sections[SECTIONS_MAX];
	size_t nr = find_sections(elf, code, n, sections);
	uint64_t end = 0;

	qsort(sections, nr, sizeof(*sections), compare_code);
	for (size_t i = 0; i < nr; i++) {
		const struct elf_code *s = &sections[i];

		if (s->address < end) /* they overlap in a damaged file */
			continue;
		end = s->address + s->size;
		if (!add_gaps(flow, ranges, s->address, end, s->bytes))
			return false;
	}
	return flow->nr_pieces > 0;
}

static void run(struct code_flow *flow, const struct elffile *elf, const struct elf_code *code,
	size_t n, const struct unwind_ranges *ranges)
{
	struct code_starts starts;

	code_flow_begin(flow);
	code_starts_find(&starts, flow, elf, code, n, ranges);
	for (size_t i = 0; i < starts.nr_called; i++)
		code_flow_mark(flow, starts.called[i]);
	for (size_t i = 0; i < starts.nr_called; i++)
		code_flow_run(flow, starts.called[i], START_CALLED);
	for (size_t i = 0; i < starts.nr_referenced; i++)
		code_flow_run(flow, starts.referenced[i], START_REFERENCED);
	code_flow_run_rest(flow);
	code_starts_release(&starts);
}

struct analysis *analysis_new(const struct elffile *elf, const struct elf_code *code, size_t n,
	const struct unwind_ranges *ranges)
{
	struct analysis *a = xcalloc(1, sizeof(*a));

	if (!add_pieces(&a->flow, elf, code, n, ranges)) {
		analysis_free(a);
		return NULL;
	}
	run(&a->flow, elf, code, n, ranges);
	return a;
}

void analysis_free(struct analysis *a)
{
	if (!a)
		return;
	code_flow_release(&a->flow);
	free(a);
}

void analysis_ranges(const struct analysis *a, struct unwind_ranges *ranges)
{
	for (size_t i = 0; i < a->flow.nr_pieces; i++) {
		const struct code_piece *piece = &a->flow.pieces[i];

		unwind_ranges_add(ranges, piece->start, piece->end - piece->start, i);
	}
}

void analysis_rows(const struct analysis *a, const struct unwind_range *range,
	const struct unwind_rule *host, struct unwind_rows *rows)
{
	const struct code_piece *piece = &a->flow.pieces[range->where];
	uint32_t size = (uint32_t)(piece->end - piece->start);
	uint64_t left = (uint64_t)size * LOOKS_A_BYTE + LOOKS_MIN;
	struct unwind_rule rule;
	unsigned int length;

	for (uint32_t at = 0; at < size; at += length) {
		bool known = code_flow_rule(&a->flow, piece->first + at, &rule, &length);

		if (!known && !host)
			continue;
		if (!known) {
			rule = *host;
			rule.offset += hosted_depth(piece->bytes + at, size - at, &left);
		}
		unwind_rows_add_in(
			rows, range, piece->start + at, piece->start + at + length, &rule);
	}
}
