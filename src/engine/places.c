/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "places.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "symbol/names/kallsyms.h"

#include <stdlib.h>
#include <string.h>

enum { OWN_MAX = 16 }; /* frames that a probe may have on the stack */

void places_init(struct places *pl, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec)
{
	*pl = (struct places){.ps = ps, .ks = ks, .rec = rec};
	rec->kernel_text = ks ? kallsyms_text(ks) : 0;
	table_init(&pl->maps);
	table_init(&pl->frames);
	table_init(&pl->vm);
	table_init(&pl->by_object);
}

void places_release(struct places *pl)
{
	table_release(&pl->maps);
	table_release(&pl->frames);
	table_release(&pl->vm);
	table_release(&pl->by_object);
	free(pl->codes);
}

/* The address at which the start of M is linked; false: not known. */
static bool find_link(const struct object *o, const struct mapping *m, uint64_t *link)
{
	uint64_t size = m->end - m->start;

	return o->elf && elffile_mapped(o->elf, m->offset, size, link) &&
	       *link <= UINT64_MAX - size;
}

static uint32_t map_of(struct places *pl, const struct mapping *m)
{
	bool is_new;
	uint32_t *at = table_put(&pl->maps, (uint64_t)(m - pl->ps->maps), 0, &is_new);

	if (!is_new)
		return *at;
	const struct object *o = &pl->ps->objects[m->object];
	struct rec_map map = {
		.pid = m->pid,
		.generation = m->generation,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.build_id = recording_string(pl->rec, o->build_id),
		.path = recording_string(pl->rec, o->path),
	};

	map.has_link = find_link(o, m, &map.link);
	return *at = recording_add_map(pl->rec, &map);
}

uint32_t places_user_frame(struct places *pl, const struct mapping *m, uint64_t address, bool call)
{
	struct rec_frame f = {
		.kind = FRAME_USER, .call = call, .place = AT_ADDRESS, .addr = address};
	uint64_t space = UINT32_MAX + 1ULL;
	bool is_new;

	if (m) {
		f.place = AT_MAP;
		f.map = map_of(pl, m);
		f.addr = address - m->start;
		space = f.map;
	}
	uint32_t *at = table_put(&pl->frames, space << 1 | call, f.addr, &is_new);

	return is_new ? (*at = recording_add_frame(pl->rec, &f)) : *at;
}

static uint32_t kernel_frame(struct places *pl, uint64_t address, bool call)
{
	const char *name, *module;
	uint64_t offset;
	bool is_new;
	uint32_t *at = table_put(&pl->frames, (UINT32_MAX + 2ULL) << 1 | call, address, &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(pl->rec,
		&(struct rec_frame){
			.kind = FRAME_KERNEL, .place = AT_ADDRESS, .addr = address, .call = call});

	if (pl->ks && kallsyms_find(pl->ks, address - call, &name, &module, &offset))
		recording_name_frame(pl->rec, id,
			&(struct rec_name){.function = recording_string(pl->rec, name),
				.module = recording_string(pl->rec, module),
				.offset = offset + call},
			1);
	return id;
}

/*
 * True when the code at ADDRESS is the entry of an interrupt or exception: what it interrupted made
 * no call.
 */
static bool interrupts(struct places *pl, uint64_t address)
{
	const char *name, *module;
	uint64_t offset;

	return pl->ks && kallsyms_find(pl->ks, address - 1, &name, &module, &offset) &&
	       !strncmp(name, "asm_", 4);
}

/* True for a function of ours that a tracepoint calls, in a module of SystemTap or in BPF. */
static bool is_probe(const char *name, const char *module)
{
	static const char *const starts[] = {"bpf_prog_", "bpf_trace_run", "__bpf_trace_"};

	if (!strncmp(module, "[stap_", 6) && strstr(name, "tracepoint_probe_"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

size_t places_own_frames(const struct places *pl, const uint64_t *addresses, size_t nr)
{
	const char *name, *module;
	uint64_t offset;
	size_t own = 0;

	for (size_t i = 0; pl->ks && i < nr && i < OWN_MAX; i++) {
		if (!kallsyms_find(pl->ks, addresses[i] - 1, &name, &module, &offset))
			continue;
		if (is_probe(name, module) ||
			(own && i == own && !strncmp(name, "__traceiter_", 12)))
			own = i + 1;
	}
	return own < nr ? own : 0;
}

uint32_t places_named_frame(
	struct places *pl, const char *name, const char *module, uint64_t offset)
{
	struct rec_name n = {
		.function = recording_string(pl->rec, name),
		.module = recording_string(pl->rec, module),
		.offset = offset,
	};
	bool is_new;
	uint32_t *at = table_put(&pl->frames, (UINT32_MAX + 3ULL + n.module) << 1,
		(uint64_t)n.function << 32 | (uint32_t)offset, &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(
		pl->rec, &(struct rec_frame){.kind = FRAME_KERNEL, .place = AT_NAME, .call = true});

	recording_name_frame(pl->rec, id, &n, 1);
	return id;
}

uint32_t places_vm_frame(
	struct places *pl, const struct vm *vm, uint32_t function, uint32_t file, uint32_t line)
{
	struct rec_name n = {.function = function, .file = file, .line = line};
	bool is_new;
	uint32_t *at = table_put(
		&pl->vm, (uint64_t)function << 32 | file, (uint64_t)vm->kind << 32 | line, &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(
		pl->rec, &(struct rec_frame){.kind = vm->frame, .place = AT_NAME});

	if (function)
		recording_name_frame(pl->rec, id, &n, 1);
	return id;
}

/* "[perl: TEXT]" */
static uint32_t note_frame(struct places *pl, const struct vm *vm, const char *text)
{
	char *note = xasprintf("[%s: %s]", vm->name, text);
	struct rec_name n = {.function = recording_string(pl->rec, note)};
	uint32_t frame = recording_add_frame(
		pl->rec, &(struct rec_frame){.kind = FRAME_NOTE, .place = AT_NAME});

	recording_name_frame(pl->rec, frame, &n, 1);
	free(note);
	return frame;
}

static uint32_t inconsistent_frame(struct places *pl, const struct vm *vm)
{
	uint32_t *frame = &pl->inconsistent[vm->kind];

	if (!*frame)
		*frame = note_frame(pl, vm, "inconsistent") + 1;
	return *frame - 1;
}

unsigned places_role(
	struct places *pl, const struct vm *vm, const struct mapping *m, uint64_t address)
{
	const struct object *o = m ? &pl->ps->objects[m->object] : NULL;
	uint64_t link;
	bool is_new;

	if (!o || !find_link(o, m, &link))
		return SPLICE_ELSEWHERE;
	uint32_t *at = table_put(&pl->by_object, m->object, vm->kind, &is_new);

	if (is_new) {
		ALLOC_GROW(pl->codes, pl->nr_codes, pl->codes_alloc);
		*at = (uint32_t)pl->nr_codes++;
		vm->splice->find_code(&pl->codes[*at], o->elf);
	}
	return splice_code_role(&pl->codes[*at], address - m->start + link);
}

uint32_t places_mixed_stack(struct places *pl, const struct vm *vm, struct splice *s,
	enum stack_end end, uint32_t cut_by)
{
	uint32_t *merged = xcalloc(s->nr_native + s->nr_frames + 1, sizeof(*merged));
	bool consistent;

	s->rules = vm->splice;
	s->inconsistent = UINT32_MAX;
	s->whole = end == END_ROOT;
	size_t nr = splice_stacks(s, merged, &consistent);

	for (size_t i = 0; i < nr; i++)
		if (merged[i] == UINT32_MAX)
			merged[i] = inconsistent_frame(pl, vm);
	if (!consistent) {
		end = END_BROKEN;
	} else if (s->whole && s->end == VM_CUT) {
		end = END_CUT;
		cut_by = recording_string(pl->rec, "depth");
	}
	if (end != END_CUT)
		cut_by = 0;
	uint32_t id = recording_add_stack(pl->rec, STACK_USER, end, cut_by, merged, nr);

	free(merged);
	return id;
}

uint32_t places_vm_stack(
	struct places *pl, const struct vm *vm, enum vm_end end, const uint32_t *frames, size_t nr)
{
	uint32_t note;

	switch (end) {
	case VM_WHOLE:
		return recording_add_stack(pl->rec, vm->stack, END_ROOT, 0, frames, nr);
	case VM_CUT:
		return recording_add_stack(pl->rec, vm->stack, END_CUT,
			recording_string(pl->rec, "depth"), frames, nr);
	case VM_NOT_RUNNING:
		note = note_frame(pl, vm, "not running");
		return recording_add_stack(pl->rec, vm->stack, END_ROOT, 0, &note, 1);
	default:
		note = inconsistent_frame(pl, vm);
		return recording_add_stack(pl->rec, vm->stack, END_BROKEN, 0, &note, 1);
	}
}

uint32_t places_kernel_stack(struct places *pl, const uint64_t *addresses, size_t nr)
{
	uint32_t *frames = xcalloc(nr, sizeof(*frames));

	for (size_t i = 0; i < nr; i++)
		frames[i] = kernel_frame(pl, addresses[i], i && !interrupts(pl, addresses[i - 1]));
	uint32_t id = recording_add_stack(pl->rec, STACK_KERNEL, END_ROOT, 0, frames, nr);

	free(frames);
	return id;
}

uint32_t places_cut_by(struct places *pl, const struct mapping *m)
{
	const char *path = m ? pl->ps->objects[m->object].path : "";

	return recording_string(pl->rec, *path ? path : "[anonymous]");
}
