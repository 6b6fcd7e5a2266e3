/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_starts.h"
#include "arch/x86_64/elf_names.h"
#include "code_flow.h"
#include "arch/x86_64/insn.h"
#include "lib/util.h"
#include "symbol/elf/elffile_internal.h"
#include "unwind/range.h"

#include <stdlib.h>

enum {
	STARTS_MAX = 1 << 20,
	SCAN_MAX = 256 << 20,  /* bytes */
	SYMBOLS_MAX = 1 << 23, /* symbols and relocations in all sections */
};

static void add(struct code_starts *s, const struct code_flow *flow, uint64_t address, bool called)
{
	if (!code_flow_piece(flow, address))
		return;
	if (called && s->nr_called < STARTS_MAX) {
		ALLOC_GROW(s->called, s->nr_called, s->called_alloc);
		s->called[s->nr_called++] = address;
	} else if (!called && s->nr_referenced < STARTS_MAX) {
		ALLOC_GROW(s->referenced, s->nr_referenced, s->referenced_alloc);
		s->referenced[s->nr_referenced++] = address;
	}
}

/* Finds the addresses that the instructions of a function call, jump to or take. */
static void scan(struct code_starts *s, const struct code_flow *flow, const unsigned char *bytes,
	uint64_t start, uint64_t end)
{
	struct insn insn;
	uint64_t target;

	for (uint64_t at = start; at < end; at += insn.length) {
		if (!insn_decode(&insn, bytes + (at - start), end - at))
			return;
		if (insn_target(&insn, at, &target))
			add(s, flow, target, true);
		else if (insn_takes(&insn, at, &target))
			add(s, flow, target, false);
	}
}

static void scan_ranges(struct code_starts *s, const struct code_flow *flow,
	const struct elf_code *code, size_t n, const struct unwind_ranges *ranges)
{
	uint64_t left = SCAN_MAX;

	for (size_t i = 0; i < ranges->nr; i++) {
		const struct unwind_range *r = &ranges->list[i];

		for (size_t k = 0; k < n; k++) {
			uint64_t at = r->from - code[k].address;

			if (at >= code[k].size || r->to - r->from > code[k].size - at ||
				r->to - r->from > left)
				continue;
			left -= r->to - r->from;
			scan(s, flow, code[k].bytes + at, r->from, r->to);
			break;
		}
	}
}

static void add_symbols(struct code_starts *s, const struct code_flow *flow, Elf_Data *data)
{
	GElf_Sym sym;

	for (int i = 1; s->nr_seen < SYMBOLS_MAX && gelf_getsym(data, i, &sym); i++, s->nr_seen++)
		if (sym.st_shndx != SHN_UNDEF && GELF_ST_TYPE(sym.st_info) <= STT_FUNC &&
			GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			add(s, flow, sym.st_value, GELF_ST_TYPE(sym.st_info) == STT_FUNC);
}

/* Adds the addresses in relocations: tables of functions in position-independent files. */
static void add_relocations(struct code_starts *s, const struct code_flow *flow, Elf_Data *data)
{
	GElf_Rela rela;

	for (int i = 0; s->nr_seen < SYMBOLS_MAX && gelf_getrela(data, i, &rela); i++, s->nr_seen++)
		if (GELF_R_TYPE(rela.r_info) == RELOC_RELATIVE)
			add(s, flow, (uint64_t)rela.r_addend, false);
}

static void scan_sections(
	struct code_starts *s, const struct code_flow *flow, const struct elffile *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(elffile_elf(elf), scn))) {
		if (!gelf_getshdr(scn, &shdr) || (shdr.sh_flags & SHF_COMPRESSED))
			continue;
		if (shdr.sh_type != SHT_RELA && shdr.sh_type != SHT_SYMTAB &&
			shdr.sh_type != SHT_DYNSYM)
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);

		if (data && shdr.sh_type == SHT_RELA)
			add_relocations(s, flow, data);
		else if (data)
			add_symbols(s, flow, data);
	}
}

void code_starts_find(struct code_starts *s, const struct code_flow *flow,
	const struct elffile *elf, const struct elf_code *code, size_t n,
	const struct unwind_ranges *ranges)
{
	*s = (struct code_starts){0};
	scan_sections(s, flow, elf);
	scan_ranges(s, flow, code, n, ranges);
}

void code_starts_release(struct code_starts *s)
{
	free(s->called);
	free(s->referenced);
	*s = (struct code_starts){0};
}
