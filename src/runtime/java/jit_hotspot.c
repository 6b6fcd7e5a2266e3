/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_hotspot.h"
#include "lib/util.h"
#include "process/reader.h"
#include "symbol/elf/elffacts.h"
#include "hotspot_find.h"
#include "jvms.h"

#include <string.h>

struct hotspot_request {
	uint32_t pid;
	uint64_t symbol[HOTSPOT_SYMBOLS];
	struct hotspot_layout layout;
	enum hotspot_end end;
	bool refuses; /* the JVM refuses requests; set by work_state */
};

static bool read_process(void *context, uint64_t address, void *to, size_t size)
{
	const struct hotspot_request *r = context;

	return reader_memory(r->pid, address, to, size);
}

/* Finds the layout. Runs in the reader, because it does thousands of small reads. */
static int work_find(void *room, int fd)
{
	struct hotspot_request *r = room;

	(void)fd;
	r->end = hotspot_find(&(struct hotspot_memory){read_process, r}, r->symbol, &r->layout);
	return -1;
}

/*
 * Finds the state, in the reader. A JVM whose options cannot be read is asked all the same, as by
 * jcmd.
 */
static int work_state(void *room, int fd)
{
	struct hotspot_request *r = room;
	const struct hotspot_memory memory = {read_process, r};
	bool value;

	work_find(room, fd);
	r->refuses = r->end == HOTSPOT_FOUND &&
		     hotspot_option(&memory, r->symbol, "DisableAttachMechanism", &value) && value;
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

/* Has WORK done by the reader. Returns NULL if the process is not HotSpot or did not answer. */
static const struct hotspot_request *request(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, reader_work *work)
{
	const struct elffile *elf = ps->objects[runtime->object].elf;
	struct hotspot_request *r, made = {.pid = p->pid, .end = HOTSPOT_UNKNOWN};
	uint64_t address;

	if (!elffile_mapped(elf, runtime->offset, runtime->end - runtime->start, &address) ||
		!find_symbols(elf, runtime->start - address, made.symbol))
		return NULL;
	r = reader_room();
	if (!r)
		return NULL;
	*r = made;
	return reader_run(p->pid, work, NULL) && r->end != HOTSPOT_UNKNOWN ? r : NULL;
}

static enum facet_state find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout)
{
	const struct hotspot_request *r = request(ps, p, runtime, work_find);

	if (!r)
		return FACET_NONE;
	if (r->end == HOTSPOT_YOUNG)
		return FACET_EARLY;
	memcpy(layout->data, &r->layout, sizeof(r->layout));
	return FACET_FOUND;
}

const struct native java_native = {.find = find, .names = jvms_new};

enum jvm_state jit_hotspot_state(
	const struct processes *ps, const struct process *p, const struct mapping *runtime)
{
	const struct hotspot_request *r = request(ps, p, runtime, work_state);

	if (!r)
		return JVM_STATE_NONE;
	if (r->end == HOTSPOT_YOUNG)
		return JVM_STATE_YOUNG;
	return r->refuses ? JVM_STATE_REFUSES : JVM_STATE_READY;
}
