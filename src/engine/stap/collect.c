/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the sums of a tally to a recording: addresses become places in mappings, kernel ones get
 * names.
 */
#include "engine/places.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "tally.h"
#include "vm/perl/perl.h"
#include "vm/splice.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1000 }; /* frames after which the scripts stop */

struct stap_collector {
	const struct tally *t;
	struct recording *rec;
	struct places places;
	struct table tasks;  /* tid -> task */
	struct table stacks; /* pid, id -> stack */
};

static uint32_t task_of(struct stap_collector *c, uint32_t tid)
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

/* How the unwinder, which only knows that it got no further, really ended. */
static enum stack_end judge(struct stap_collector *c, const struct process *p,
	const struct tally_stack *s, uint32_t *cut_by)
{
	bool call = s->nr > 1;
	uint64_t last = s->addresses[s->nr - 1] - call;
	const struct mapping *m = process_find(c->t->ps, p, last);
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
	*cut_by = places_cut_by(&c->places, m);
	return END_CUT;
}

/* The frame of an address of S, and its role. */
static struct splice_native user_frame(
	struct stap_collector *c, const struct process *p, const struct tally_stack *s, uint32_t i)
{
	bool call = i > 0;
	const struct mapping *m = process_find(c->t->ps, p, s->addresses[i] - call);

	return (struct splice_native){
		.id = places_user_frame(&c->places, m, s->addresses[i], call),
		.role = s->has_perl ? places_role(&c->places, &perl_vm, m, s->addresses[i] - call)
				    : SPLICE_ELSEWHERE,
	};
}

static uint32_t add_user_stack(
	struct stap_collector *c, const struct process *p, const struct tally_stack *s)
{
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));
	uint32_t cut_by = 0;
	enum stack_end end = judge(c, p, s, &cut_by);

	for (uint32_t i = 0; i < s->nr; i++)
		frames[i] = user_frame(c, p, s, i).id;
	uint32_t id = recording_add_stack(c->rec, STACK_USER, end, cut_by, frames, s->nr);

	free(frames);
	return id;
}

static uint32_t perl_frame(struct stap_collector *c, uint64_t id)
{
	const struct tally_frame *f = tally_frame(c->t, id);

	if (!f)
		return places_vm_frame(&c->places, &perl_vm, 0, 0, 0);
	return places_vm_frame(&c->places, &perl_vm, recording_string(c->rec, f->name),
		recording_string(c->rec, f->file), f->line);
}

/* Run loops of a mixed walk are no frames. */
static bool is_perl_frame(const struct stap_collector *c, uint64_t id)
{
	const struct tally_frame *f = tally_frame(c->t, id);

	return !f || perl_vm.splice->is_frame(f->what);
}

static uint32_t add_perl_stack(struct stap_collector *c, const struct tally_stack *s)
{
	bool is_there = s->perl_end == VM_WHOLE || s->perl_end == VM_CUT;
	uint32_t *frames = xcalloc(s->nr_frames, sizeof(*frames)), nr = 0;

	for (uint32_t i = 0; is_there && i < s->nr_frames; i++)
		if (is_perl_frame(c, s->frames[i]))
			frames[nr++] = perl_frame(c, s->frames[i]);
	uint32_t id = places_vm_stack(&c->places, &perl_vm, s->perl_end, frames, nr);

	free(frames);
	return id;
}

/* Perl's frames of S for MIXED, the caller's to free. Without one of their lines nothing fits. */
static struct splice_frame *mixed_frames(
	struct stap_collector *c, const struct tally_stack *s, struct splice *mixed)
{
	struct splice_frame *list = xcalloc(s->nr_frames, sizeof(*list));

	*mixed = (struct splice){.frames = list, .nr_frames = s->nr_frames, .end = s->perl_end};
	for (uint32_t i = 0; i < s->nr_frames; i++) {
		const struct tally_frame *f = tally_frame(c->t, s->frames[i]);

		if (!f) {
			mixed->end = VM_INCONSISTENT;
			continue;
		}
		list[i].what = f->what;
		if (is_perl_frame(c, s->frames[i]))
			list[i].id = perl_frame(c, s->frames[i]);
	}
	return list;
}

static uint32_t add_mixed_stack(
	struct stap_collector *c, const struct process *p, const struct tally_stack *s)
{
	struct splice mixed;
	struct splice_frame *perls = mixed_frames(c, s, &mixed);
	struct splice_native *frames = xcalloc(s->nr, sizeof(*frames));
	uint32_t cut_by = 0;
	enum stack_end end = judge(c, p, s, &cut_by);

	for (uint32_t i = 0; i < s->nr; i++)
		frames[i] = user_frame(c, p, s, i);
	mixed.native = frames;
	mixed.nr_native = s->nr;
	uint32_t id = places_mixed_stack(&c->places, &perl_vm, &mixed, end, cut_by);

	free(frames);
	free(perls);
	return id;
}

/* The Perl stack of one that has nothing else. */
static uint32_t perl_of(struct stap_collector *c, const struct tally_stack *s)
{
	bool stays = s->perl_end == VM_WHOLE || s->perl_end == VM_CUT, is_new;
	uint32_t *at = table_put(
		&c->stacks, UINT32_MAX + 1ULL, stays ? s->id : (uint64_t)s->perl_end, &is_new);

	return is_new ? (*at = add_perl_stack(c, s)) : *at;
}

/* The recording's stack for an id of the scripts in process PID; NO_STACK when its body never came.
 */
static uint32_t stack_of(struct stap_collector *c, uint32_t pid, uint64_t id)
{
	const struct tally_stack *s = tally_stack(c->t, id);
	bool is_new;

	if (!s || !s->nr)
		return NO_STACK;
	uint32_t *at = table_put(&c->stacks, s->kernel ? 0 : pid, id, &is_new);

	if (!is_new)
		return *at;
	if (s->kernel) {
		size_t own = places_own_frames(&c->places, s->addresses, s->nr);

		return *at = places_kernel_stack(&c->places, s->addresses + own, s->nr - own);
	}
	const struct process *p = processes_get(c->t->ps, pid);

	return *at = s->has_perl ? add_mixed_stack(c, p, s) : add_user_stack(c, p, s);
}

static uint32_t add_waiter(struct stap_collector *c, const char *text)
{
	uint32_t frames[64], nr = 0;
	struct waiter_frame f;

	while (nr < ARRAY_LEN(frames) && waiters_frame(&text, &f))
		frames[nr++] = places_named_frame(&c->places, f.name, f.module, f.offset);
	return recording_add_stack(c->rec, STACK_KERNEL, END_ROOT, 0, frames, nr);
}

/*
 * The kernel's side of waits that began before the recording, for those that were still on when it
 * was read.
 */
static void add_waiters(struct stap_collector *c)
{
	for (size_t i = 0; i < c->t->nr_rows; i++) {
		const struct tally_row *row = &c->t->rows[i];
		int64_t from = c->t->began_ns, took, to;
		bool is_new;

		if (row->kernel != EARLIER_KERNEL || row->tag == 'R' || row->tag == 'W' ||
			__builtin_mul_overflow(row->sum, 1000, &took) ||
			__builtin_add_overflow(from, took - 1000, &to))
			continue;
		const char *text = waiters_stack(&c->t->waiters, row->tid, from, to);

		if (!text)
			continue;
		uint32_t stack = add_waiter(c, text);

		*table_put(&c->stacks, row->tid, EARLIER_KERNEL, &is_new) = stack;
	}
}

static uint32_t earlier_stack(struct stap_collector *c, enum stack_kind kind, uint64_t id)
{
	bool is_new;
	uint32_t *at = table_put(&c->stacks, 0, id, &is_new);

	if (is_new)
		*at = recording_add_stack(c->rec, kind, END_CUT,
			recording_string(c->rec, "before the recording"), NULL, 0);
	return *at;
}

static uint32_t user_stack(struct stap_collector *c, uint32_t pid, const struct tally_row *from)
{
	const struct tally_stack *s = tally_stack(c->t, from->user);

	if (from->user == EARLIER_USER)
		return earlier_stack(c, c->t->perl ? STACK_PERL : STACK_USER, EARLIER_USER);
	return s && !s->nr ? perl_of(c, s) : stack_of(c, pid, from->user);
}

/* Where the user stack tells already that nobody saw it begin, none says so again. */
static uint32_t waiter_stack(struct stap_collector *c, const struct tally_row *from)
{
	const uint32_t *known = table_get(&c->stacks, from->tid, EARLIER_KERNEL);

	if (known)
		return *known;
	return from->user ? NO_STACK : earlier_stack(c, STACK_KERNEL, EARLIER_KERNEL);
}

/* The recording's stacks of a row; false when one never came: half a stack would be a wrong one. */
static bool take_stacks(
	struct stap_collector *c, uint32_t pid, const struct tally_row *from, uint32_t *stacks)
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

static void add_row(struct stap_collector *c, uint32_t event, const struct tally_row *from)
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
	struct stap_collector c = {.t = t, .rec = rec};

	places_init(&c.places, t->ps, ks, rec);
	table_init(&c.tasks);
	table_init(&c.stacks);
	if (t->nr_rows)
		qsort(t->rows, t->nr_rows, sizeof(*t->rows), compare_rows);
	add_waiters(&c);
	for (size_t i = 0; i < t->nr_rows; i++)
		add_row(&c, event, &t->rows[i]);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&rec->lost[i], t->lost[i]);
	table_release(&c.tasks);
	places_release(&c.places);
	table_release(&c.stacks);
}
