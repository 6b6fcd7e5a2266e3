/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_erlang.h"
#include "process/reader.h"
#include "runtime/native.h"
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elffile.h"

#include <string.h>

/* Pages to read of the code common to all modules, at the beginning, which is smaller. */
enum { COMMON_PAGES = 16, PAGE = 4096 };

static uint32_t number_at(const uint8_t *code)
{
	uint32_t number;

	memcpy(&number, code, sizeof(number));
	return number;
}

/*
 * The code that runs processes makes room for the registers of Erlang's machine, aligned:
 *
 *	sub $SIZE,%rsp; and $-64,%rsp; mov %rsp,…(%rdi); lea REGISTERS(%rsp),%rbx
 *
 * REGISTERS is 128, so C functions use the stack below -128(%rbx).
 */
static bool is_main(const uint8_t *code, uint32_t *size)
{
	static const uint8_t sub[] = {0x48, 0x81, 0xec}, and[] = {0x48, 0x83, 0xe4, 0xc0},
			     lea[] = {0x48, 0x8d, 0x9c, 0x24, 0x80, 0, 0, 0};
	const uint8_t *mov = code + 11;
	size_t mov_size = mov[2] == 0x27 ? 3 : 4;

	*size = number_at(code + 3);
	return !memcmp(code, sub, sizeof(sub)) && !memcmp(code + 7, and, sizeof(and)) &&
	       mov[0] == 0x48 && mov[1] == 0x89 && (mov[2] == 0x27 || mov[2] == 0x67) &&
	       !memcmp(mov + mov_size, lea, sizeof(lea));
}

/*
 * Returns where a process saves its rsp, as an offset from r13, or 0 if that is not found. It is
 * the word behind the one for r15: movups %xmm0,HTOP(%r13).
 */
static uint64_t find_stop(const uint8_t *code, size_t size)
{
	static const uint8_t movups[] = {0x41, 0x0f, 0x11, 0x45},
			     vmovdqu[] = {0xc4, 0xc1, 0x7a, 0x7f, 0x45};

	for (size_t i = 0; i + sizeof(vmovdqu) < size; i++) {
		if (!memcmp(code + i, movups, sizeof(movups)) && code[i + 4] < 0x80)
			return code[i + 4] + 8U;
		if (!memcmp(code + i, vmovdqu, sizeof(vmovdqu)) && code[i + 5] < 0x80)
			return code[i + 5] + 8U;
	}
	return 0;
}

bool jit_erlang_read(
	const uint8_t *code, size_t size, uint64_t address, struct erlang_layout *layout)
{
	uint32_t room;

	for (size_t i = 0; i + 32 < size; i++) {
		if (!is_main(code + i, &room))
			continue;
		layout->main = address + i;
		layout->c_stack = (uint64_t)-128;
		layout->frame = (uint64_t)room - 128;
		layout->stop = find_stop(code, size);
		return true;
	}
	return false;
}

static bool read_common(const struct process *p, uint64_t address, struct erlang_layout *layout)
{
	const void *code;
	size_t nr = reader_pages(p->pid, address, COMMON_PAGES, &code);

	return nr && jit_erlang_read(code, nr * PAGE, address, layout);
}

static bool find_entry(const struct processes *ps, const struct mapping *m, uint64_t *entry)
{
	const struct elffile *elf = ps->objects[m->object].elf;
	struct elf_variable v;
	uint64_t first;

	if (!elffacts_variable(elf, "process_main", &v) ||
		!elffile_mapped(elf, m->offset, m->end - m->start, &first))
		return false;
	*entry = m->start - first + v.address;
	return true;
}

static enum facet_state find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout)
{
	struct jit_areas areas = {.ps = ps, .p = p};
	struct erlang_layout found = {0};

	if (!find_entry(ps, runtime, &found.entry))
		return FACET_NONE;
	for (const struct mapping *m; (m = jit_areas_next(&areas));) {
		if (!read_common(p, m->start, &found))
			continue;
		layout->rule.cfa = RUNTIME_CFA(ERLANG);
		memcpy(layout->data, &found, sizeof(found));
		return FACET_FOUND;
	}
	return FACET_EARLY;
}

const struct native erlang_native = {.find = find};
