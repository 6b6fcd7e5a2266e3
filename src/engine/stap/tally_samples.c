/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the rows of a tally to the samples. */
#include "engine/label_sets.h"
#include "engine/samples.h"
#include "label/label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "tally.h"
#include "runtime/vm_processes.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 1000 }; /* frames at which the scripts stop */

struct adder {
	const struct tally *t;
	struct samples *samples;
	struct table stacks;  /* pid (0 for the kernel), id -> stack */
	struct table vms;     /* id -> stack, or 0 if there is none */
	struct table waiters; /* tid -> kernel stack */
};

static uint32_t task_of(struct adder *a, uint32_t tid)
{
	const uint32_t *known = table_get(&a->t->by_tid, tid, 0);

	return known ? *known : samples_task(a->samples, tid, tid, 0, "");
}

static uint32_t add_user(struct adder *a, uint32_t pid, const struct tally_stack *s)
{
	const struct process *p = processes_get(a->t->ps, pid);
	uint64_t *frames = xcalloc(s->nr, sizeof(*frames));

	for (uint32_t i = 0; i < s->nr; i++) {
		bool call = i > 0;
		const struct mapping *m = process_find(a->t->ps, p, s->addresses[i] - call);

		frames[i] = samples_user_frame(m, s->addresses[i], call);
	}
	uint32_t stack = samples_stack(a->samples, frames, s->nr, STACK_USER,
		s->nr >= DEPTH_MAX ? WALK_DEEP : SAMPLE_UNKNOWN);

	free(frames);
	return stack;
}

static uint32_t add_name(struct adder *a, const struct tally_frame *f)
{
	struct sample_name name = f->name;
	const struct strpool *strings = &a->samples->strings;
	struct vm_printed printed = {
		name.what, strpool_get(strings, name.function), strpool_get(strings, name.file)};
	struct strbuf other = STRBUF_INIT;

	if (a->t->vms && vm_processes_name_by_script(a->t->vms, f->pid, &printed, &other))
		name.function = strpool_adds(&a->samples->strings, other.buf);
	name.what &= ~VM_ADDRESS;
	strbuf_release(&other);
	return samples_name(a->samples, &name);
}

/* Returns the frame of a function in C, by its name in the language or by its address. */
static uint64_t add_code(struct adder *a, const struct tally_frame *f)
{
	uint64_t address = f->name.what & VM_ADDRESS;
	const struct process *p = processes_get(a->t->ps, f->pid);
	const char *function =
		a->t->vms ? vm_processes_code_name(a->t->vms, f->pid, address) : NULL;

	if (function)
		return samples_name(a->samples,
			&(struct sample_name){
				.what = f->name.what & ~VM_ADDRESS,
				.function = strpool_adds(&a->samples->strings, function),
			});
	return samples_user_frame(process_find(a->t->ps, p, address), address, false);
}

/* Returns the number of an interpreter's frame. F is NULL if its line was lost. */
static uint64_t add_frame(struct adder *a, const struct tally_frame *f)
{
	if (!f)
		return samples_name(a->samples, &(struct sample_name){0});
	if (f->vm->code && VM_FRAME_TYPE(f->name.what) == f->vm->code)
		return add_code(a, f);
	return add_name(a, f);
}

/*
 * Returns the interpreter's stack of S, or 0 if there is none. If a frame is unknown, the stack
 * cannot be spliced into the user stack of S.
 */
static uint32_t add_vm(struct adder *a, const struct tally_stack *s)
{
	enum vm_end end = s->vm_end;
	uint32_t nr = end == VM_WHOLE || end == VM_CUT ? s->nr_frames : 0;
	uint64_t *frames = xcalloc(nr, sizeof(*frames));

	if (s->nr && end == VM_NOT_RUNNING) {
		free(frames);
		return 0;
	}
	for (uint32_t i = 0; i < nr; i++) {
		const struct tally_frame *f = tally_frame(a->t, s->frames[i]);

		frames[i] = add_frame(a, f);
		if (!f && s->nr)
			end = VM_INCONSISTENT;
	}
	uint32_t stack = samples_stack(a->samples, frames, end == VM_INCONSISTENT ? 0 : nr,
		language_stack(s->vm->language), end);

	free(frames);
	return stack;
}

static uint32_t add_kernel(struct adder *a, const struct tally_stack *s)
{
	return samples_stack(a->samples, s->addresses, s->nr, STACK_KERNEL, WALK_ROOT);
}

/* Returns the user stack of S in process PID, or the kernel stack if PID is 0. */
static uint32_t native_stack(struct adder *a, uint32_t pid, const struct tally_stack *s)
{
	bool is_new;
	uint32_t *at = table_put(&a->stacks, pid, s->id, &is_new);

	if (is_new)
		*at = s->kernel ? add_kernel(a, s) : add_user(a, pid, s);
	return *at;
}

static uint32_t vm_stack(struct adder *a, const struct tally_stack *s)
{
	bool is_new;
	uint32_t *at = table_put(&a->vms, s->id, 0, &is_new);

	if (is_new)
		*at = add_vm(a, s);
	return *at;
}

/* ---- waits that began before the recording ---- */

static uint32_t add_waiter_stack(struct adder *a, const char *text)
{
	uint64_t frames[64];
	uint32_t nr = 0;
	struct waiter_frame f;

	while (nr < ARRAY_LEN(frames) && waiters_frame(&text, &f))
		frames[nr++] = samples_name(
			a->samples, &(struct sample_name){
					    .what = f.offset,
					    .function = strpool_adds(&a->samples->strings, f.name),
					    .file = strpool_adds(&a->samples->strings, f.module),
				    });
	return samples_stack(a->samples, frames, nr, STACK_KERNEL, SAMPLE_NAMED);
}

/* Adds the kernel stacks of these waits, if the thread still waited when its stack was read. */
static void add_waiters(struct adder *a)
{
	uint32_t running = samples_label(a->samples, 0, "state", "R");
	uint32_t woken = samples_label(a->samples, 0, "state", "W");

	for (size_t i = 0; i < a->t->nr_rows; i++) {
		const struct tally_row *row = &a->t->rows[i];
		int64_t from = a->t->began_ns, took, to;
		bool is_new;

		if (row->kernel != EARLIER_KERNEL || row->labels == running ||
			row->labels == woken || __builtin_mul_overflow(row->sum, 1000, &took) ||
			__builtin_add_overflow(from, took - 1000, &to))
			continue;
		const char *text = waiters_stack(&a->t->waiters, row->tid, from, to);

		if (!text)
			continue;
		uint32_t stack = add_waiter_stack(a, text);

		*table_put(&a->waiters, row->tid, 0, &is_new) = stack;
	}
}

static uint32_t add_earlier(struct adder *a, enum stack_kind kind)
{
	return samples_stack(a->samples, NULL, 0, kind, SAMPLE_EARLIER);
}

/*
 * Returns the kernel stack of a wait that began earlier, or 0 if it is not known and the user stack
 * already says that the wait began earlier.
 */
static uint32_t earlier_kernel(struct adder *a, const struct tally_row *from)
{
	const uint32_t *waiter = table_get(&a->waiters, from->tid, 0);

	if (waiter)
		return *waiter;
	return from->user ? 0 : add_earlier(a, STACK_KERNEL);
}

/* ---- rows ---- */

/* Returns the reason, as in samples, why a task has no user stack, or 0 if ID may be a stack's. */
static unsigned no_user_stack(uint64_t id)
{
	switch (id) {
	case NO_USER_KERNEL_THREAD:
		return SAMPLE_KERNEL_THREAD;
	case NO_USER_EXITING:
		return SAMPLE_EXITING;
	case NO_USER_EXECVE:
		return SAMPLE_EXECVE;
	}
	return 0;
}

/* Sets the user stack of KEY. Returns false if the stack was lost. */
static bool set_user_stack(struct adder *a, const struct tally_row *from, struct sample_key *key)
{
	const struct tally_stack *s = tally_stack(a->t, from->user);

	if (no_user_stack(from->user)) {
		if (!from->kernel) /* otherwise the kernel stack alone is the whole stack */
			key->user = samples_stack(
				a->samples, NULL, 0, STACK_USER, no_user_stack(from->user));
		return true;
	}
	if (from->user == EARLIER_USER)
		key->user =
			add_earlier(a, a->t->vm ? language_stack(a->t->vm->language) : STACK_USER);
	else if (s && s->nr)
		key->user = native_stack(a, a->samples->tasks[key->task].pid, s);
	if (s && s->has_vm)
		key->vm = vm_stack(a, s);
	return key->user || key->vm || !from->user;
}

static bool set_kernel_stack(struct adder *a, const struct tally_row *from, struct sample_key *key)
{
	const struct tally_stack *s = tally_stack(a->t, from->kernel);

	if (from->kernel == EARLIER_KERNEL)
		key->kernel = earlier_kernel(a, from);
	else if (s && s->nr)
		key->kernel = native_stack(a, 0, s);
	return key->kernel || !from->kernel || from->kernel == EARLIER_KERNEL;
}

static bool is_earlier(const struct tally_row *row)
{
	return row->user == EARLIER_USER || row->kernel == EARLIER_KERNEL;
}

/* Returns the ID of the set of the source's labels that the row has, or 0 if it has none. */
static uint64_t set_of(const struct adder *a, const struct tally_row *row, uint32_t task)
{
	const struct label_processes *lp = a->t->sets ? a->t->sets->processes : NULL;
	const struct label_source *source = lp ? label_only(&lp->chosen) : NULL;

	if (!source)
		return 0;
	if (row->set)
		return label_set_id(source->kind, row->set);
	return is_earlier(row) && label_processes_source(lp, a->samples->tasks[task].pid)
		       ? label_set_id(source->kind, LABEL_EARLIER)
		       : 0;
}

/*
 * Returns whether the row is the command's wait for the recording to begin. Until then the
 * command's process still belongs to flametap.
 */
static bool is_own_wait(const struct adder *a, const struct tally_row *row)
{
	return row->tid == a->t->command && is_earlier(row);
}

/* Returns false if a stack of the row is not complete. */
static bool add_row(struct adder *a, const struct tally_row *from)
{
	struct sample_key key = {.task = task_of(a, from->tid)};

	if (!(set_user_stack(a, from, &key) & set_kernel_stack(a, from, &key)))
		return false;
	key.labels = label_sets_join(a->t->sets, set_of(a, from, key.task),
		a->samples->tasks[key.task].pid, from->labels, from->count);
	uint32_t slice = a->samples->slices.ns ? from->slice : 0, nr = from->more + 1;

	samples_add_at(a->samples, &key,
		&(struct series_item){slice, from->more, from->count / nr, from->sum / nr});
	return true;
}

uint64_t tally_add_rows(struct tally *t)
{
	struct adder a = {.t = t, .samples = t->samples};
	uint64_t missing = 0;
	size_t kept = 0;

	table_init(&a.stacks);
	table_init(&a.vms);
	table_init(&a.waiters);
	add_waiters(&a);
	for (size_t i = 0; i < t->nr_rows; i++) {
		const struct tally_row *row = &t->rows[i];

		if (is_own_wait(&a, row) || add_row(&a, row))
			continue;
		add_capped(&missing, row->count);
		t->rows[kept++] = *row;
	}
	t->nr_rows = kept;
	if (a.samples->slices.ns && t->nr_slices > a.samples->slices.nr)
		a.samples->slices.nr = t->nr_slices;
	table_release(&a.stacks);
	table_release(&a.vms);
	table_release(&a.waiters);
	return missing;
}
