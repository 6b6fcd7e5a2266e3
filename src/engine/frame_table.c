/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "frame_table.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "runtime/native.h"
#include "samples.h"
#include "symbol/elf/elffile.h"
#include "symbol/names/kallsyms.h"

#include <stdlib.h>
#include <string.h>

enum { OWN_MAX = 16 }; /* limit of the frames of a probe */

void frame_table_init(struct frame_table *t, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec)
{
	*t = (struct frame_table){.ps = ps, .ks = ks, .rec = rec};
	rec->kernel_text = ks ? kallsyms_text(ks) : 0;
	table_init(&t->maps);
	table_init(&t->frames);
	table_init(&t->named);
	table_init(&t->by_object);
}

void frame_table_release(struct frame_table *t)
{
	table_release(&t->maps);
	table_release(&t->frames);
	table_release(&t->named);
	table_release(&t->by_object);
	free(t->codes);
}

/* Sets *LINK to the link-time address of the start of M. Returns false if it is not known. */
static bool find_link(const struct object *o, const struct mapping *m, uint64_t *link)
{
	uint64_t size = m->end - m->start;

	return o->elf && elffile_mapped(o->elf, m->offset, size, link) &&
	       *link <= UINT64_MAX - size;
}

/*
 * Returns the path of O. Without a build-id, only a note in the path can show that the file there
 * is not the one that was mapped.
 */
static uint32_t path_of(struct frame_table *t, const struct object *o)
{
	if (!o->elsewhere || *o->build_id)
		return recording_string(t->rec, o->path);
	char *path = xasprintf("%s (elsewhere)", o->path);
	uint32_t string = recording_string(t->rec, path);

	free(path);
	return string;
}

static uint32_t map_of(struct frame_table *t, const struct mapping *m)
{
	bool is_new;
	uint32_t *at = table_put(&t->maps, (uint64_t)(m - t->ps->maps), 0, &is_new);

	if (!is_new)
		return *at;
	const struct object *o = &t->ps->objects[m->object];
	struct rec_map map = {
		.pid = m->pid,
		.generation = m->generation,
		.start = m->start,
		.end = m->end,
		.offset = m->offset,
		.build_id = recording_string(t->rec, o->build_id),
		.path = path_of(t, o),
		.owner = o->elf ? elffile_owner(o->elf) : 0,
	};

	map.has_link = find_link(o, m, &map.link);
	return *at = recording_add_map(t->rec, &map);
}

static uint32_t user_frame(
	struct frame_table *t, const struct mapping *m, uint64_t address, bool call)
{
	struct rec_frame f = {
		.kind = FRAME_USER, .call = call, .place = AT_ADDRESS, .addr = address};
	uint64_t space = UINT32_MAX + 1ULL;
	bool is_new;

	if (m) {
		f.place = AT_MAP;
		f.map = map_of(t, m);
		f.addr = address - m->start;
		space = f.map;
	}
	uint32_t *at = table_put(&t->frames, space << 1 | call, f.addr, &is_new);

	return is_new ? (*at = recording_add_frame(t->rec, &f)) : *at;
}

uint32_t frame_table_named(struct frame_table *t, enum frame_kind kind, const struct rec_name *name)
{
	uint64_t place = hash_pair((uint64_t)name->module << 32 | name->line, name->offset);
	bool is_new;
	uint32_t *at = table_put(&t->named, (uint64_t)name->function << 32 | name->file,
		hash_pair(place, kind), &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(t->rec,
		&(struct rec_frame){.kind = kind, .place = AT_NAME, .call = kind == FRAME_KERNEL});

	if (name->function)
		recording_name_frame(t->rec, id, name, 1);
	return id;
}

static uint32_t text_frame(struct frame_table *t, enum frame_kind kind, const char *text)
{
	return frame_table_named(
		t, kind, &(struct rec_name){.function = recording_string(t->rec, text)});
}

uint32_t frame_table_user(struct frame_table *t, uint64_t frame)
{
	struct user_frame f = samples_decode_frame(t->ps, frame);

	if (frame == SAMPLE_RARE)
		return text_frame(t, FRAME_NOTE, "[rare]");
	if (f.is_vm && (!f.object || !f.object->elf))
		return text_frame(t, FRAME_JIT, NATIVE_NEW_CODE);
	return user_frame(t, f.map, f.address, f.call);
}

static uint32_t kernel_frame(struct frame_table *t, uint64_t address, bool call)
{
	const char *name, *module;
	uint64_t offset;
	bool is_new;
	uint32_t *at = table_put(&t->frames, (UINT32_MAX + 2ULL) << 1 | call, address, &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(t->rec,
		&(struct rec_frame){
			.kind = FRAME_KERNEL, .place = AT_ADDRESS, .addr = address, .call = call});

	if (t->ks && kallsyms_find(t->ks, address - call, &name, &module, &offset))
		recording_name_frame(t->rec, id,
			&(struct rec_name){.function = recording_string(t->rec, name),
				.module = recording_string(t->rec, module),
				.offset = offset + call},
			1);
	return id;
}

/*
 * Returns whether ADDRESS is in an interrupt or exception entry. The frame that this has
 * interrupted is not a call.
 */
static bool interrupts(struct frame_table *t, uint64_t address)
{
	const char *name, *module;
	uint64_t offset;

	return t->ks && kallsyms_find(t->ks, address - 1, &name, &module, &offset) &&
	       !strncmp(name, "asm_", 4);
}

/*
 * Returns whether a function belongs to the recorder's probes: SystemTap modules, BPF programs and
 * their callers in the kernel.
 */
static bool is_probe(const char *name, const char *module)
{
	static const char *const starts[] = {"bpf_trace_run", "__bpf_trace_", "trace_call_bpf",
		"perf_call_bpf_", "perf_syscall_", "perf_trace_"};

	if (!strncmp(module, "[stap_", 6) && strstr(name, "tracepoint_probe_"))
		return true;
	if (!strcmp(module, "[bpf]") && !strncmp(name, "bpf_prog_", 9))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (!strncmp(name, starts[i], strlen(starts[i])))
			return true;
	return false;
}

/* Returns whether a function is where the kernel enters an interrupt. */
static bool enters_interrupt(const char *name)
{
	static const char *const entries[] = {"asm_sysvec_", "asm_common_interrupt", "asm_exc_nmi"};

	for (size_t i = 0; i < ARRAY_LEN(entries); i++)
		if (!strncmp(name, entries[i], strlen(entries[i])))
			return true;
	return false;
}

struct kernel_part frame_table_kernel_part(
	const struct frame_table *t, const uint64_t *addresses, size_t nr)
{
	struct kernel_part part = {.rare = nr && *addresses == SAMPLE_RARE};
	const char *name, *module;
	uint64_t offset;
	size_t own = 0;

	addresses += part.rare;
	nr -= part.rare;
	for (size_t i = 0; t->ks && i < nr && i < OWN_MAX; i++) {
		if (!kallsyms_find(t->ks, addresses[i] - 1, &name, &module, &offset))
			continue;
		if (enters_interrupt(name)) /* which may have hit another probe */
			break;
		if (is_probe(name, module) || (i == own && !strncmp(name, "__traceiter_", 12)))
			own = i + 1;
	}
	own = own < nr ? own : 0;
	part.addresses = addresses + own;
	part.nr = nr - own;
	return part;
}

size_t frame_table_interrupt(const struct frame_table *t, const struct kernel_part *part)
{
	const char *name, *module;
	uint64_t offset;

	for (size_t i = 0; t->ks && i < part->nr; i++)
		if (kallsyms_find(t->ks, part->addresses[i] - 1, &name, &module, &offset) &&
			enters_interrupt(name))
			return i + 1;
	return 0;
}

/* Returns the frame "[WHAT: TEXT]". */
static uint32_t note_about(struct frame_table *t, const char *what, const char *text)
{
	char *note = xasprintf("[%s: %s]", what, text);
	uint32_t frame = text_frame(t, FRAME_NOTE, note);

	free(note);
	return frame;
}

uint32_t frame_table_no_stack(struct frame_table *t, const char *why)
{
	uint32_t note = note_about(t, "no user stack", why);

	return recording_add_stack(t->rec, STACK_USER, END_ROOT, 0, &note, 1);
}

unsigned frame_table_role(struct frame_table *t, const struct vm *vm, uint64_t frame)
{
	struct user_frame f = samples_decode_frame(t->ps, frame);
	uint64_t link;
	bool is_new;

	if (vm->splice->in_place && f.is_vm)
		return SPLICE_LOOP;
	if (!f.object || !find_link(f.object, f.map, &link))
		return SPLICE_ELSEWHERE;
	uint32_t *at = table_put(&t->by_object, f.map->object, vm->kind, &is_new);

	if (is_new) {
		ALLOC_GROW(t->codes, t->nr_codes, t->codes_alloc);
		*at = (uint32_t)t->nr_codes++;
		vm->splice->find_code(&t->codes[*at], f.object->elf);
	}
	return splice_code_role(&t->codes[*at], f.address - f.call - f.map->start + link);
}

uint32_t frame_table_mixed_stack(struct frame_table *t, const struct vm *vm, struct splice *s,
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
			merged[i] = note_about(t, vm->language->name, "inconsistent");
	if (!consistent) {
		end = END_BROKEN;
		cut_by = 0;
	} else if (s->whole && s->end == VM_CUT) {
		end = END_CUT;
		cut_by = recording_string(t->rec, cut_word(CUT_DEPTH));
	}
	uint32_t id = recording_add_stack(t->rec, STACK_USER, end, cut_by, merged, nr);

	free(merged);
	return id;
}

uint32_t frame_table_vm_stack(struct frame_table *t, const struct vm *vm, enum vm_end end,
	const uint32_t *frames, size_t nr)
{
	uint32_t note;

	switch (end) {
	case VM_WHOLE:
		return recording_add_stack(
			t->rec, language_stack(vm->language), END_ROOT, 0, frames, nr);
	case VM_CUT:
		return recording_add_stack(t->rec, language_stack(vm->language), END_CUT,
			recording_string(t->rec, cut_word(CUT_DEPTH)), frames, nr);
	case VM_NOT_RUNNING:
		note = note_about(t, vm->language->name, "not running");
		return recording_add_stack(
			t->rec, language_stack(vm->language), END_ROOT, 0, &note, 1);
	default:
		note = note_about(t, vm->language->name, "inconsistent");
		return recording_add_stack(
			t->rec, language_stack(vm->language), END_BROKEN, 0, &note, 1);
	}
}

uint32_t frame_table_kernel_stack(struct frame_table *t, const struct kernel_part *part)
{
	uint32_t *frames = xcalloc(part->nr + 1, sizeof(*frames)), nr = 0;

	if (part->rare)
		frames[nr++] = frame_table_user(t, SAMPLE_RARE);
	for (size_t i = 0; i < part->nr; i++) {
		bool call = i ? !interrupts(t, part->addresses[i - 1]) : part->rare;

		frames[nr++] = kernel_frame(t, part->addresses[i], call);
	}
	uint32_t id = recording_add_stack(t->rec, STACK_KERNEL, END_ROOT, 0, frames, nr);

	free(frames);
	return id;
}
