/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_hotspot.h"
#include "lib/util.h"
#include "process/reader.h"
#include "symbol/elf/elffacts.h"
#include "unwind/hotspot_find.h"

#include <string.h>

struct hotspot_request {
	uint32_t pid;
	uint64_t symbol[HOTSPOT_SYMBOLS];
	struct hotspot_layout layout;
	enum hotspot_end end;
};

static bool read_process(void *context, uint64_t address, void *to, size_t size)
{
	const struct hotspot_request *r = context;

	return reader_memory(r->pid, address, to, size);
}

/* In the reader: thousands of small reads. */
static int work_find(void *room, int fd)
{
	struct hotspot_request *r = room;

	(void)fd;
	r->end = hotspot_find(&(struct hotspot_memory){read_process, r}, r->symbol, &r->layout);
	return -1;
}

static bool find_symbols(const struct elffile *elf, uint64_t bias, uint64_t symbol[HOTSPOT_SYMBOLS])
{
	struct elf_question list[HOTSPOT_SYMBOLS];
	struct elf_variable variable;

	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++)
		list[i] = (struct elf_question){elf, FACT_VARIABLE, hotspot_symbols[i], 0, NULL};
	elffacts_ask(list, HOTSPOT_SYMBOLS);
	for (size_t i = 0; i < HOTSPOT_SYMBOLS; i++) {
		if (!elffacts_variable(elf, hotspot_symbols[i], &variable) || variable.per_thread)
			return false;
		symbol[i] = variable.address + bias;
	}
	return true;
}

enum jit_found jit_hotspot_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout)
{
	const struct elffile *elf = ps->objects[runtime->object].elf;
	struct hotspot_request *r, request = {.pid = p->pid, .end = HOTSPOT_UNKNOWN};
	uint64_t address;

	if (!elffile_mapped(elf, runtime->offset, runtime->end - runtime->start, &address) ||
		!find_symbols(elf, runtime->start - address, request.symbol))
		return JIT_FOUND_NONE;
	r = reader_room();
	if (!r)
		return JIT_FOUND_NONE;
	*r = request;
	if (!reader_run(p->pid, work_find, NULL) || r->end == HOTSPOT_UNKNOWN)
		return JIT_FOUND_NONE;
	if (r->end == HOTSPOT_YOUNG)
		return JIT_FOUND_LATER;
	layout->kind = JIT_HOTSPOT;
	layout->hotspot = r->layout;
	return JIT_FOUND;
}
