/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sums of a tally to a recording: addresses become places in mappings, kernel ones get
 * names.
 */
#include "tally.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1000 }; /* frames after which the scripts stop */

struct collector {
	const struct tally *t;
	const struct kallsyms *ks;
	struct recording *rec;
	struct table tasks;  /* tid -> task */
	struct table maps;   /* pid, index -> map */
	struct table frames; /* map or kind, address -> frame */
	struct table stacks; /* pid, id -> stack */
};

static uint32_t task_of(struct collector *c, uint32_t tid)
{
	const uint32_t *known = table_get(&c->t->by_tid, tid, 0);
	struct rec_task task = {.tid = tid, .pid = tid};
	bool is_new;
	uint32_t *at = table_put(&c->tasks, tid, 0, &is_new);

	if (!is_new)
		return *at;
	if (known) {
		const struct tally_task *from = &c->t->tasks[*known];

		task.pid = from->pid;
		task.start = from->start;
		task.comm = recording_string(c->rec, from->comm);
	}
	return *at = recording_add_task(c->rec, &task);
}

static uint32_t map_of(struct collector *c, const struct process *p, const struct mapping *m)
{
	bool is_new;
	uint32_t *at = table_put(&c->maps, p->pid, (uint64_t)(m - p->maps), &is_new);

	if (!is_new)
		return *at;
	const struct object *o = &c->t->ps->objects[m->object];

	return *at = recording_add_map(c->rec,
		       &(struct rec_map){
			       .pid = p->pid,
			       .generation = m->generation,
			       .start = m->start,
			       .end = m->end,
			       .offset = m->offset,
			       .build_id =
				       o->elf ? recording_string(c->rec, elffile_build_id(o->elf))
					      : 0,
			       .path = recording_string(c->rec, o->path),
		       });
}

static uint32_t user_frame(
	struct collector *c, const struct process *p, uint64_t address, bool call)
{
	const struct mapping *m = process_find(p, call ? address - 1 : address);
	struct rec_frame f = {
		.kind = FRAME_USER, .call = call, .place = AT_ADDRESS, .addr = address};
	uint64_t space = UINT32_MAX + 1ULL;
	bool is_new;

	if (m) {
		f.place = AT_MAP;
		f.map = map_of(c, p, m);
		f.addr = address - m->start;
		space = f.map;
	}
	uint32_t *at = table_put(&c->frames, space << 1 | call, f.addr, &is_new);

	return is_new ? (*at = recording_add_frame(c->rec, &f)) : *at;
}

static uint32_t kernel_frame(struct collector *c, uint64_t address, bool call)
{
	const char *name, *module;
	uint64_t offset;
	bool is_new;
	uint32_t *at = table_put(&c->frames, (UINT32_MAX + 2ULL) << 1 | call, address, &is_new);

	if (!is_new)
		return *at;
	uint32_t id = *at = recording_add_frame(c->rec,
		&(struct rec_frame){
			.kind = FRAME_KERNEL, .place = AT_ADDRESS, .addr = address, .call = call});

	if (c->ks && kallsyms_find(c->ks, address - call, &name, &module, &offset))
		recording_name_frame(c->rec, id,
			&(struct rec_name){.function = recording_string(c->rec, name),
				.module = recording_string(c->rec, module),
				.offset = offset + call},
			1);
	return id;
}

/*
 * True when the code at ADDRESS is the entry of an interrupt or exception: what it interrupted made
 * no call.
 */
static bool interrupts(struct collector *c, uint64_t address)
{
	const char *name, *module;
	uint64_t offset;

	return c->ks && kallsyms_find(c->ks, address - 1, &name, &module, &offset) &&
	       !strncmp(name, "asm_", 4);
}

/* How the unwinder, which only knows that it got no further, really ended. */
static enum stack_end judge(
	struct collector *c, const struct process *p, const struct tally_stack *s, uint32_t *cut_by)
{
	bool call = s->nr > 1;
	uint64_t last = s->addresses[s->nr - 1] - call;
	const struct mapping *m = process_find(p, last);
	const struct object *o = m ? &c->t->ps->objects[m->object] : NULL;
	enum elf_rules rules = RULES_NONE;

	*cut_by = 0;
	if (s->nr >= DEPTH_MAX) {
		*cut_by = recording_string(c->rec, "depth");
		return END_CUT;
	}
	if (!o)
		return END_BROKEN;
	if (o->elf)
		rules = elffile_rules(o->elf, last - m->start + m->offset);
	if (rules == RULES_ROOT)
		return END_ROOT;
	if (rules == RULES_SOME && o->has_rules)
		return END_BROKEN;
	*cut_by = recording_string(c->rec, *o->path ? o->path : "[anonymous]");
	return END_CUT;
}

/* How many frames at the leaf are those of the probe that took the stack, at a tracepoint. */
static uint32_t own_frames(struct collector *c, const struct tally_stack *s)
{
	const char *name, *module;
	uint64_t offset;
	uint32_t own = 0;

	for (uint32_t i = 0; c->ks && i < s->nr && i < 16; i++) {
		if (!kallsyms_find(c->ks, s->addresses[i] - 1, &name, &module, &offset))
			continue;
		bool probe = !strncmp(module, "[stap_", 6) && strstr(name, "tracepoint_probe_");

		if (probe || (own && i == own && !strncmp(name, "__traceiter_", 12)))
			own = i + 1;
	}
	return own < s->nr ? own : 0;
}

static uint32_t add_stack(struct collector *c, const struct process *p, const struct tally_stack *s)
{
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));
	uint32_t cut_by = 0, first = s->kernel ? own_frames(c, s) : 0;
	enum stack_end end = s->kernel ? END_ROOT : judge(c, p, s, &cut_by);

	for (uint32_t i = first; i < s->nr; i++)
		frames[i] = !s->kernel ? user_frame(c, p, s->addresses[i], i > 0)
				       : kernel_frame(c, s->addresses[i],
						 i && !interrupts(c, s->addresses[i - 1]));
	uint32_t id = recording_add_stack(c->rec, s->kernel ? STACK_KERNEL : STACK_USER, end,
		cut_by, frames + first, s->nr - first);

	free(frames);
	return id;
}

/* The recording's stack for an id of the scripts in process PID; NO_STACK when its body never came.
 */
static uint32_t stack_of(struct collector *c, uint32_t pid, uint64_t id)
{
	const struct tally_stack *s = tally_stack(c->t, id);
	bool is_new;

	if (!s)
		return NO_STACK;
	uint32_t *at = table_put(&c->stacks, s->kernel ? 0 : pid, id, &is_new);

	if (!is_new)
		return *at;
	return *at = add_stack(c, s->kernel ? NULL : processes_get(c->t->ps, pid), s);
}

static uint32_t named_frame(struct collector *c, const struct waiter_frame *from)
{
	uint32_t function = recording_string(c->rec, from->name);
	uint32_t module = recording_string(c->rec, from->module);
	bool is_new;
	uint32_t *at = table_put(&c->frames, (UINT32_MAX + 3ULL + module) << 1,
		(uint64_t)function << 32 | (uint32_t)from->offset, &is_new);

	if (!is_new)
		return *at;
	*at = recording_add_frame(
		c->rec, &(struct rec_frame){.kind = FRAME_KERNEL, .place = AT_NAME, .call = true});
	uint32_t id = *at;

	recording_name_frame(c->rec, id,
		&(struct rec_name){.function = function, .module = module, .offset = from->offset},
		1);
	return id;
}

static uint32_t add_waiter(struct collector *c, const char *text)
{
	uint32_t frames[64], nr = 0;
	struct waiter_frame f;

	while (nr < ARRAY_LEN(frames) && waiters_frame(&text, &f))
		frames[nr++] = named_frame(c, &f);
	return recording_add_stack(c->rec, STACK_KERNEL, END_ROOT, 0, frames, nr);
}

/*
 * The kernel's side of waits that began before the recording, for those that were still on when it
 * was read.
 */
static void add_waiters(struct collector *c)
{
	for (size_t i = 0; i < c->t->nr_rows; i++) {
		const struct tally_row *row = &c->t->rows[i];
		int64_t from = c->t->began_ns, to = from + (int64_t)row->sum * 1000 - 1000;
		bool is_new;

		if (row->kernel != EARLIER_KERNEL || row->tag == 'R' || row->tag == 'W')
			continue;
		const char *text = waiters_stack(&c->t->waiters, row->tid, from, to);

		if (!text)
			continue;
		uint32_t stack = add_waiter(c, text);

		*table_put(&c->stacks, row->tid, EARLIER_KERNEL, &is_new) = stack;
	}
}

static uint32_t earlier_stack(struct collector *c, enum stack_kind kind, uint64_t id)
{
	bool is_new;
	uint32_t *at = table_put(&c->stacks, 0, id, &is_new);

	if (is_new)
		*at = recording_add_stack(c->rec, kind, END_CUT,
			recording_string(c->rec, "before the recording"), NULL, 0);
	return *at;
}

static uint32_t user_stack(struct collector *c, uint32_t pid, const struct tally_row *from)
{
	if (from->user == EARLIER_USER)
		return earlier_stack(c, STACK_USER, EARLIER_USER);
	return stack_of(c, pid, from->user);
}

/* Where the user stack tells already that nobody saw it begin, none says so again. */
static uint32_t waiter_stack(struct collector *c, const struct tally_row *from)
{
	const uint32_t *known = table_get(&c->stacks, from->tid, EARLIER_KERNEL);

	if (known)
		return *known;
	return from->user ? NO_STACK : earlier_stack(c, STACK_KERNEL, EARLIER_KERNEL);
}

/* The recording's stacks of a row; false when one never came: half a stack would be a wrong one. */
static bool take_stacks(
	struct collector *c, uint32_t pid, const struct tally_row *from, uint32_t *stacks)
{
	int n = 0;

	if (from->user && (stacks[n++] = user_stack(c, pid, from)) == NO_STACK)
		return false;
	if (from->kernel == EARLIER_KERNEL)
		stacks[n] = waiter_stack(c, from);
	else if (from->kernel && (stacks[n] = stack_of(c, 0, from->kernel)) == NO_STACK)
		return false;
	return true;
}

static void add_row(struct collector *c, uint32_t event, const struct tally_row *from)
{
	const char tag[] = {from->tag, '\0'};
	struct rec_row row = {
		.event = event,
		.task = task_of(c, from->tid),
		.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
		.tag = recording_string(c->rec, tag),
		.count = from->count,
		.sum = from->sum,
	};

	if (take_stacks(c, c->rec->tasks[row.task].pid, from, row.stacks))
		recording_add_row(c->rec, &row);
	else
		add_capped(&c->rec->lost[LOST_NO_BODY], from->count);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct tally_row *a = va, *b = vb;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	return (a->tag > b->tag) - (a->tag < b->tag);
}

void tally_to_recording(
	const struct tally *t, const struct kallsyms *ks, uint32_t event, struct recording *rec)
{
	struct collector c = {.t = t, .ks = ks, .rec = rec};

	table_init(&c.tasks);
	table_init(&c.maps);
	table_init(&c.frames);
	table_init(&c.stacks);
	if (t->nr_rows)
		qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare_rows);
	add_waiters(&c);
	for (size_t i = 0; i < t->nr_rows; i++)
		add_row(&c, event, &t->rows[i]);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&rec->lost[i], t->lost[i]);
	table_release(&c.tasks);
	table_release(&c.maps);
	table_release(&c.frames);
	table_release(&c.stacks);
}
