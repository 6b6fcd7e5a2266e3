/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows are merged first, since stacks that came later or differ only in the probe's own frames
 * are the same; then they are added to the recording in their order, with what they refer to.
 */
#include "seal.h"
#include "engine.h"
#include "frame_table.h"
#include "judge.h"
#include "label/memberships.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/native.h"
#include "samples.h"
#include "tool_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct conversion {
	const struct samples *samples;
	const struct seal_facts *facts;
	struct recording *rec;
	struct judge judge;
	struct frame_table table;
	struct samples rows; /* has only rows: the merged rows of samples */
	uint32_t *tasks;     /* numbers in rec + 1 by numbers in samples, or 0 if not added yet */
	uint32_t *stacks;    /* numbers in rec + 1 by numbers in samples, or 0 if not added yet */
	struct task_labels {
		bool known;
		size_t nr;
		struct label list[NR_MEMBERSHIPS];
	} * of_tasks;             /* by numbers in samples */
	struct table first_lines; /* function, file -> 2 * line of the first, + 1 if several */
	struct table spliced;     /* user stack, VM stack -> stack of rec */
	struct table sources;     /* file, its ID -> number in the sources of rec */
	struct tool_rows extra;
};

static const uint64_t *frames_of(const struct conversion *c, const struct sample_stack *s)
{
	return c->samples->frames + s->first;
}

/* ---- stacks ---- */

/* Returns why the task has no user stack, or NULL if S is a stack. */
static const char *why_no_stack(const struct sample_stack *s)
{
	switch (s->end) {
	case SAMPLE_KERNEL_THREAD:
		return "kernel thread";
	case SAMPLE_EXITING:
		return "exiting";
	case SAMPLE_EXECVE:
		return "execve";
	}
	return NULL;
}

static const struct sample_name *name_at(const struct conversion *c, uint64_t number)
{
	return &c->samples->names[number];
}

/* Returns the number of STRING in the recording. */
static uint32_t string_of(struct conversion *c, uint32_t string)
{
	return strpool_import(&c->rec->strings, &c->samples->strings, string);
}

/* Returns a kernel frame whose name is known, but not its address. */
static uint32_t named_frame(struct conversion *c, const struct sample_name *name)
{
	return frame_table_named(&c->table, FRAME_KERNEL,
		&(struct rec_name){.function = string_of(c, name->function),
			.module = string_of(c, name->file),
			.offset = name->what});
}

/* Adds a user stack, or a kernel stack of named frames. */
static uint32_t add_native_stack(struct conversion *c, const struct sample_stack *s)
{
	const uint64_t *from = frames_of(c, s);
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames)), cut_by;
	enum stack_end end = judge_stack(&c->judge, s, &cut_by);

	for (uint32_t i = 0; i < s->nr; i++)
		frames[i] = s->end == SAMPLE_NAMED && from[i] != SAMPLE_RARE
				    ? named_frame(c, name_at(c, from[i]))
				    : frame_table_user(&c->table, from[i]);
	uint32_t id =
		recording_add_stack(c->rec, (enum stack_kind)s->kind, end, cut_by, frames, s->nr);

	free(frames);
	return id;
}

/* Notes the lines at which functions begin that have the same name in the same file. */
static void find_same_names(struct conversion *c)
{
	for (size_t i = 0; i < c->samples->nr_names; i++) {
		const struct sample_name *name = name_at(c, i);
		bool is_new;

		if (!name->first_line)
			continue;
		uint32_t *line = table_put(&c->first_lines, name->function, name->file, &is_new);

		if (is_new)
			*line = name->first_line << 1;
		else if (*line >> 1 != (name->first_line & INT32_MAX))
			*line |= 1;
	}
}

/* Returns the function of NAME, followed by ":LINE" if other functions have that name. */
static uint32_t function_of(struct conversion *c, const struct sample_name *name)
{
	const uint32_t *line = table_get(&c->first_lines, name->function, name->file);

	if (!name->first_line || !line || !(*line & 1))
		return string_of(c, name->function);
	char *text = xasprintf(
		"%s:%" PRIu32, strpool_get(&c->samples->strings, name->function), name->first_line);
	uint32_t string = recording_string(c->rec, text);

	free(text);
	return string;
}

/* Returns false for entries that only mark a possible run loop, for splicing. */
static bool is_frame(const struct conversion *c, const struct vm *vm, uint64_t number)
{
	return number > UINT32_MAX || vm->splice->is_frame(name_at(c, number)->what);
}

static struct vm_place place_of(const struct conversion *c, const struct sample_name *name)
{
	return (struct vm_place){
		name->what, strpool_get(&c->samples->strings, name->file), name->line};
}

/* Returns the caller of the frame at AT in a VM stack, or NULL if it is not there or not known. */
static const struct sample_name *caller_of(
	const struct conversion *c, const struct vm *vm, const struct sample_stack *s, uint32_t at)
{
	const uint64_t *from = frames_of(c, s);

	while (++at < s->nr && !is_frame(c, vm, from[at]))
		;
	return at < s->nr && from[at] <= UINT32_MAX ? name_at(c, from[at]) : NULL;
}

/* Returns the name of the frame at AT in a VM stack, which may depend on its caller. */
static uint32_t name_in_stack(
	struct conversion *c, const struct vm *vm, const struct sample_stack *s, uint32_t at)
{
	const struct sample_name *name = name_at(c, frames_of(c, s)[at]);
	const struct sample_name *caller = vm->name_in_stack ? caller_of(c, vm, s, at) : NULL;
	struct strbuf text = STRBUF_INIT;
	uint32_t string;

	if (!caller)
		return function_of(c, name);
	const struct vm_place here = place_of(c, name), there = place_of(c, caller);

	string = vm->name_in_stack(&here, &there, &text) ? recording_string(c->rec, text.buf)
							 : function_of(c, name);
	strbuf_release(&text);
	return string;
}

/* Adds the source file of a function, if its contents are known. */
static void add_source(struct conversion *c, const struct sample_name *name)
{
	bool is_new;

	if (!name->blob)
		return;
	uint32_t *at = table_put(&c->sources, name->file, name->blob, &is_new);

	if (is_new)
		*at = recording_add_source(
			c->rec, string_of(c, name->file), string_of(c, name->blob));
	c->rec->sources[*at].late |= name->late;
}

/* Returns the frame at AT in a VM stack. */
static uint32_t vm_frame(
	struct conversion *c, const struct vm *vm, const struct sample_stack *s, uint32_t at)
{
	uint64_t number = frames_of(c, s)[at];

	if (number > UINT32_MAX)
		return frame_table_user(&c->table, number);
	const struct sample_name *name = name_at(c, number);

	bool compiled = name->what & vm->compiled;

	add_source(c, name);
	return frame_table_named(&c->table, compiled ? FRAME_JIT : language_frame(vm->language),
		&(struct rec_name){.function = name_in_stack(c, vm, s, at),
			.module = compiled ? recording_string(c->rec, "[jit]") : 0,
			.file = string_of(c, name->file),
			.line = name->line});
}

static uint32_t add_vm_stack(struct conversion *c, const struct sample_stack *s)
{
	const struct vm *vm = vm_of_stack((enum stack_kind)s->kind);
	const uint64_t *from = frames_of(c, s);
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames)), nr = 0;

	for (uint32_t i = 0; i < s->nr; i++)
		if (is_frame(c, vm, from[i]))
			frames[nr++] = vm_frame(c, vm, s, i);
	uint32_t id = frame_table_vm_stack(&c->table, vm, (enum vm_end)s->end, frames, nr);

	free(frames);
	return id;
}

static struct kernel_part kernel_part(const struct conversion *c, const struct sample_stack *s)
{
	return frame_table_kernel_part(&c->table, frames_of(c, s), s->nr);
}

static uint32_t add_waker_stack(struct conversion *c, const struct sample_stack *s);

static uint32_t add_stack(struct conversion *c, const struct sample_stack *s)
{
	if (s->kind == STACK_WAKER)
		return add_waker_stack(c, s);
	if (why_no_stack(s))
		return frame_table_no_stack(&c->table, why_no_stack(s));
	if (s->end == SAMPLE_EARLIER || s->end == SAMPLE_NAMED || s->kind == STACK_USER)
		return add_native_stack(c, s);
	if (s->kind != STACK_KERNEL)
		return add_vm_stack(c, s);
	struct kernel_part part = kernel_part(c, s);

	return frame_table_kernel_stack(&c->table, &part);
}

static uint32_t stack_of(struct conversion *c, uint32_t number)
{
	if (!c->stacks[number])
		c->stacks[number] = add_stack(c, &c->samples->stacks[number]) + 1;
	return c->stacks[number] - 1;
}

/* Returns the frames of a user stack with their roles for VM. The caller frees them. */
static struct splice_native *native_frames(
	struct conversion *c, const struct vm *vm, const struct sample_stack *s)
{
	struct splice_native *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t frame = frames_of(c, s)[i];

		list[i].id = frame_table_user(&c->table, frame);
		list[i].role = frame_table_role(&c->table, vm, frame);
	}
	return list;
}

static struct splice_frame *vm_frames(
	struct conversion *c, const struct vm *vm, const struct sample_stack *s)
{
	struct splice_frame *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t number = frames_of(c, s)[i];

		list[i].what = number > UINT32_MAX ? 0 : name_at(c, number)->what;
		if (is_frame(c, vm, number))
			list[i].id = vm_frame(c, vm, s, (uint32_t)i);
	}
	return list;
}

/* Returns the user stack and the VM stack as one stack. */
static uint32_t spliced_stack(struct conversion *c, uint32_t user, uint32_t in_vm)
{
	const struct sample_stack *native = &c->samples->stacks[user];
	const struct sample_stack *inner = &c->samples->stacks[in_vm];
	const struct vm *vm = vm_of_stack((enum stack_kind)inner->kind);
	bool is_new;
	uint32_t cut_by, *at = table_put(&c->spliced, user, in_vm, &is_new);

	if (!is_new)
		return *at;
	struct splice_native *natives = native_frames(c, vm, native);
	struct splice_frame *frames = vm_frames(c, vm, inner);
	struct splice s = {
		.native = natives,
		.nr_native = native->nr,
		.frames = frames,
		.nr_frames = inner->nr,
		.end = (enum vm_end)inner->end,
	};
	enum stack_end end = judge_stack(&c->judge, native, &cut_by);

	*at = frame_table_mixed_stack(&c->table, vm, &s, end, cut_by);
	free(natives);
	free(frames);
	return *at;
}

/* ---- wakers ---- */

/* Frames from the root to the leaf, of one waker after the other. */
struct waker_frames {
	uint32_t *list;
	size_t nr, alloc;
};

static void push_frame(struct waker_frames *w, uint32_t frame)
{
	ALLOC_GROW(w->list, w->nr, w->alloc);
	w->list[w->nr++] = frame;
}

static void push_text(
	struct conversion *c, struct waker_frames *w, enum frame_kind kind, const char *text)
{
	push_frame(w, frame_table_named(&c->table, kind,
			      &(struct rec_name){.function = recording_string(c->rec, text)}));
}

/* Pushes the frames of a stack of the recording, after a note if it is not whole. */
static void push_stack(struct conversion *c, struct waker_frames *w, uint32_t id)
{
	struct rec_stack stack = c->rec->stacks[id];
	struct strbuf end = STRBUF_INIT;

	recording_add_end(c->rec, &stack, &end);
	if (end.len)
		push_text(c, w, FRAME_NOTE, end.buf);
	for (uint32_t i = stack.nr; i--;)
		push_frame(w, c->rec->frame_refs[stack.first + i]);
	strbuf_release(&end);
}

static bool shows_kernel(const struct conversion *c)
{
	return !c->facts->request || c->facts->request->kernel;
}

/* Pushes what an interrupt did, whose NR addresses are on top of a thread that it has interrupted.
 */
static void push_interrupt(
	struct conversion *c, struct waker_frames *w, struct kernel_part part, size_t nr)
{
	push_text(c, w, FRAME_NOTE, "[interrupt]");
	part.nr = nr;
	if (shows_kernel(c))
		push_stack(c, w, frame_table_kernel_stack(&c->table, &part));
}

/* Returns the stack of samples that WORD of a waker has become, or 0 if there is none. */
static uint32_t part_of_waker(
	const struct conversion *c, const struct sample_stack *waker, enum sample_waker word)
{
	uint32_t stack = (uint32_t)frames_of(c, waker)[word];

	return stack ? samples_actual(c->samples, stack) : 0;
}

/* Returns the kernel part of a waker, and in *NR how many addresses an interrupt has put there. */
static struct kernel_part kernel_of_waker(
	const struct conversion *c, const struct sample_stack *waker, size_t *nr)
{
	uint32_t kernel = part_of_waker(c, waker, SAMPLE_WAKER_KERNEL);
	struct kernel_part part = {0};

	if (kernel)
		part = kernel_part(c, &c->samples->stacks[kernel]);
	*nr = frame_table_interrupt(&c->table, &part);
	return part;
}

static void push_waker(struct conversion *c, struct waker_frames *w, const struct sample_stack *s)
{
	uint32_t user = part_of_waker(c, s, SAMPLE_WAKER_USER);
	uint32_t vm = part_of_waker(c, s, SAMPLE_WAKER_VM);
	uint32_t kernel = part_of_waker(c, s, SAMPLE_WAKER_KERNEL);
	const struct sample_name *comm = name_at(c, frames_of(c, s)[SAMPLE_WAKER_COMM]);
	size_t interrupt;
	struct kernel_part part = kernel_of_waker(c, s, &interrupt);

	if (interrupt) {
		push_interrupt(c, w, part, interrupt);
		return;
	}
	push_text(c, w, FRAME_TASK, strpool_get(&c->samples->strings, comm->function));
	if (user && vm)
		push_stack(c, w, spliced_stack(c, user, vm));
	else if ((user | vm) && !why_no_stack(&c->samples->stacks[user | vm]))
		push_stack(c, w, stack_of(c, user | vm));
	if (kernel && shows_kernel(c))
		push_stack(c, w, stack_of(c, kernel));
}

/*
 * Returns how many of the wakers S are shown: up to an interrupt, which nobody has woken, whatever
 * the thread that it has interrupted.
 */
static uint32_t nr_wakers(const struct conversion *c, const struct sample_stack *s)
{
	uint32_t nr = 0;
	size_t interrupt = 0;

	while (nr < s->nr && !interrupt)
		kernel_of_waker(c, &c->samples->stacks[frames_of(c, s)[nr++]], &interrupt);
	return nr;
}

/*
 * Adds the stack of one or more wakers, which lies upside down on the stack of the thread that was
 * woken: the last waker first, from its leaf to its root and its name.
 */
static uint32_t add_waker_stack(struct conversion *c, const struct sample_stack *s)
{
	const uint64_t *words = frames_of(c, s);
	struct waker_frames w = {0};

	if (s->end == SAMPLE_WAKER)
		push_waker(c, &w, s);
	for (uint32_t i = s->end == SAMPLE_WAKERS ? nr_wakers(c, s) : 0; i--;)
		push_waker(c, &w, &c->samples->stacks[words[i]]);
	uint32_t id = recording_add_stack(c->rec, STACK_WAKER, END_ROOT, 0, w.list, (uint32_t)w.nr);

	free(w.list);
	return id;
}

/* ---- rows ---- */

/* Stacks that stand for equal ones, by hashes. */
struct equal_stacks {
	struct table kernels, wakers;
	uint32_t *actual; /* the stack that stands for each one, or 0 if it is pending */
};

/* Returns a hash of the stacks that stand for the first NR frames of S, which are stacks. */
static uint64_t hash_stacks(const struct conversion *c, const struct equal_stacks *e,
	const struct sample_stack *s, uint32_t nr)
{
	uint64_t hash = nr;

	for (uint32_t i = 0; i < nr; i++)
		hash = hash_pair(hash, e->actual[frames_of(c, s)[i]]);
	return hash;
}

/*
 * Returns the hash of a waker. Interrupts are equal whatever they have interrupted.
 */
static uint64_t hash_waker(
	const struct conversion *c, const struct equal_stacks *e, const struct sample_stack *s)
{
	size_t interrupt;
	struct kernel_part part = kernel_of_waker(c, s, &interrupt);

	return interrupt ? hash_text((const char *)part.addresses,
				   interrupt * sizeof(*part.addresses))
			 : hash_pair(hash_stacks(c, e, s, SAMPLE_WAKER_COMM),
				   frames_of(c, s)[SAMPLE_WAKER_COMM]);
}

/* Returns the first of the wakers that are equal to NUMBER. */
static uint32_t find_equal_waker(
	const struct conversion *c, struct equal_stacks *e, uint32_t number)
{
	const struct sample_stack *s = &c->samples->stacks[number];
	uint32_t nr = s->end == SAMPLE_WAKERS ? nr_wakers(c, s) : 0;
	bool is_new;

	if (nr == 1)
		return e->actual[frames_of(c, s)[0]];
	uint64_t hash = nr ? hash_stacks(c, e, s, nr) : hash_waker(c, e, s);
	uint32_t *first = table_put(&e->wakers, hash, s->end, &is_new);

	return is_new ? (*first = number) : *first;
}

/*
 * Returns the stack that stands for stack NUMBER, or 0 if that is pending. Among kernel stacks that
 * are equal without the frames of the probe itself, this is the first one. The stacks that a waker
 * consists of have smaller numbers.
 */
static uint32_t find_actual(const struct conversion *c, struct equal_stacks *e, uint32_t number)
{
	uint32_t actual = samples_actual(c->samples, number);
	const struct sample_stack *s = &c->samples->stacks[actual];
	bool is_new;

	if (s->kind == STACK_WAKER)
		return find_equal_waker(c, e, actual);
	if (s->kind != STACK_KERNEL || s->end == SAMPLE_NAMED)
		return actual;
	struct kernel_part part = kernel_part(c, s);
	uint64_t hash = hash_text((const char *)part.addresses, part.nr * sizeof(*part.addresses));
	uint32_t *first = table_put(&e->kernels, hash,
		(uint64_t)part.nr << 9 | (uint64_t)s->end << 1 | part.rare, &is_new);

	return is_new ? (*first = actual) : *first;
}

/* Returns for each stack of samples the stack that stands for it. The caller frees the list. */
static uint32_t *find_all_actual(const struct conversion *c)
{
	struct equal_stacks e = {.actual = xcalloc(c->samples->nr_stacks, sizeof(*e.actual))};

	table_init(&e.kernels);
	table_init(&e.wakers);
	for (uint32_t i = 1; i < c->samples->nr_stacks; i++)
		e.actual[i] = find_actual(c, &e, i);
	table_release(&e.kernels);
	table_release(&e.wakers);
	return e.actual;
}

/* Replaces the stack at NUMBER. Returns false if that is pending. */
static bool replace_stack(const uint32_t *actual, uint32_t *number)
{
	bool is_none = !*number;

	*number = actual[*number];
	return is_none || *number;
}

static void add_merged(
	struct conversion *c, const struct sample_key *key, const struct sample_row *row)
{
	struct sample_row merged = *row;

	merged.key = *key;
	samples_add_row(&c->rows, key, c->samples, row);
	tool_rows_count(&c->extra, &merged, &c->rows);
}

/*
 * Merges the rows whose stacks are the same. If a stack of a row is pending, the row is lost,
 * because half a stack would be wrong.
 */
static void merge_rows(struct conversion *c)
{
	const struct samples *s = c->samples;
	const uint32_t *labels = c->facts->labels;
	uint32_t *actual = find_all_actual(c);

	for (size_t i = 1; i < s->nr_rows; i++) {
		const struct sample_row *row = &s->rows[i];
		struct sample_key key = row->key;

		if (samples_forgot(row))
			continue;
		bool is_whole = replace_stack(actual, &key.user) &
				replace_stack(actual, &key.kernel) &
				replace_stack(actual, &key.vm) & replace_stack(actual, &key.waker);

		key.labels = labels ? labels[key.labels] : key.labels;
		if (is_whole)
			add_merged(c, &key, row);
		else
			add_capped(&c->rec->lost[LOST_NO_BODY], row->count);
	}
	free(actual);
	table_release(&c->rows.by_row);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct sample_row *a = va, *b = vb;

	if (a->key.event != b->key.event)
		return a->key.event < b->key.event ? -1 : 1;
	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static uint32_t task_of(struct conversion *c, uint32_t number)
{
	struct rec_task task = c->samples->tasks[number];

	task.comm = string_of(c, task.comm);
	if (!c->tasks[number])
		c->tasks[number] = recording_add_task(c->rec, &task) + 1;
	return c->tasks[number] - 1;
}

/* Returns the labels of a task's process. */
static const struct task_labels *labels_of_task(struct conversion *c, uint32_t number)
{
	const struct rec_task *task = &c->samples->tasks[number];
	struct task_labels *labels = &c->of_tasks[number];
	struct memberships *ms = c->facts->ms;

	if (labels->known || !ms)
		return labels;
	labels->known = true;
	const struct membership *of = memberships_of(ms, task->pid, task->start);

	for (int i = 0; of && i < NR_MEMBERSHIPS; i++)
		if (of->values[i])
			labels->list[labels->nr++] = (struct label){
				recording_string(c->rec, membership_keys[i]),
				strpool_import(&c->rec->strings, &ms->strings, of->values[i])};
	return labels;
}

/*
 * Returns the labels of a row. The newest label comes first: it overrides an older label with the
 * same key, and the labels of the process.
 */
static uint32_t labels_of(struct conversion *c, const struct sample_key *key)
{
	const struct task_labels *process = labels_of_task(c, key->task);
	struct label labels[LABEL_SET_MAX];
	size_t nr = 0;

	for (uint32_t set = key->labels; set && nr < LABEL_SET_MAX - NR_MEMBERSHIPS;
		set = c->samples->labels[set].others) {
		const struct sample_label *label = &c->samples->labels[set];

		labels[nr++] = (struct label){string_of(c, label->key), string_of(c, label->value)};
	}
	for (size_t i = 0; i < process->nr; i++)
		labels[nr++] = process->list[i];
	return recording_labels(c->rec, labels, nr);
}

/* Returns the divisor of the sums of EVENT, which may be one of c->extra. */
static uint64_t divisor_of(const struct conversion *c, uint32_t event)
{
	return event < c->samples->nr_events ? c->samples->events[event].divisor : 1;
}

/*
 * Adds the series of a row, in ascending order of the slices. Returns its number, or 0 if there is
 * none. What the divisor leaves of a slice's sum is added to the next slice, so that the series has
 * the sum of the row.
 */
static uint32_t add_series(struct conversion *c, const struct sample_row *from)
{
	uint64_t sum = 0, added = 0, divisor = divisor_of(c, from->key.event);
	size_t nr;
	struct series_item *list = series_list(&c->rows.series, from->series, &nr);
	uint32_t series = 0;

	for (size_t i = 0; i < nr; i++) {
		add_capped(&sum, list[i].sum);
		list[i].slice -= c->samples->forgotten;
		list[i].sum = sum / divisor - added;
		added += list[i].sum;
		if (list[i].count || list[i].sum)
			series = series_add(&c->rec->series, series, &list[i]);
	}
	free(list);
	return series;
}

static void add_row(struct conversion *c, const struct sample_row *from)
{
	const struct sample_key *key = &from->key;
	uint32_t leaf = tool_rows_leaf(&c->extra, key->labels);
	struct rec_row row = {
		.event = key->event,
		.task = task_of(c, key->task),
		.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
		.labels = labels_of(c, key),
		.series = add_series(c, from),
		.count = from->count,
		.sum = from->sum / divisor_of(c, key->event),
	};
	int n = 0;

	if (key->user && key->vm)
		row.stacks[n++] = spliced_stack(c, key->user, key->vm);
	else if (key->user || key->vm)
		row.stacks[n++] = stack_of(c, key->user | key->vm);
	if (key->kernel)
		row.stacks[n++] = stack_of(c, key->kernel);
	if (key->waker)
		row.stacks[n++] = stack_of(c, key->waker);
	row.stacks[n] = leaf;
	recording_add_row(c->rec, &row);
}

static void add_rows(struct conversion *c)
{
	struct samples *s = &c->rows;

	qsort(s->rows + 1, s->nr_rows - 1, sizeof(*s->rows), compare_rows);
	for (size_t i = 1; i < s->nr_rows; i++)
		add_row(c, &s->rows[i]);
}

void seal_ask_names(const struct engine_request *r, struct facets *fs, struct processes *ps)
{
	if (r->user && !r->no_names && !r->compile_only)
		native_ask_names(fs, ps, !r->all && !r->selection.kind, r->impatient);
}

void seal_jit_names(const struct samples *s, const struct processes *ps, const struct facets *fs,
	struct strbuf *notes)
{
	bool *used = xcalloc(ps->nr_maps + 1, sizeof(*used));

	samples_mark_mappings(s, used, ps->nr_maps);
	facets_finish(fs, used, notes);
	free(used);
}

void recording_seal(struct recording *rec, const struct samples *s, const struct seal_facts *facts)
{
	struct conversion c = {
		.samples = s, .facts = facts, .rec = rec, .judge = {s, facts->ps, rec}};

	frame_table_init(&c.table, facts->ps, facts->ks, rec);
	table_init(&c.spliced);
	table_init(&c.sources);
	table_init(&c.first_lines);
	find_same_names(&c);
	samples_init(&c.rows);
	tool_rows_init(&c.extra, s, facts->request, &c.table);
	merge_rows(&c);
	judge_ask(&c.judge);
	c.tasks = xcalloc(s->nr_tasks, sizeof(*c.tasks));
	c.stacks = xcalloc(s->nr_stacks, sizeof(*c.stacks));
	c.of_tasks = xcalloc(s->nr_tasks, sizeof(*c.of_tasks));
	for (size_t i = 0; i < s->nr_events; i++)
		recording_add_event(rec, s->events[i].name, s->events[i].unit, s->events[i].clock,
			s->events[i].period);
	tool_rows_add_events(&c.extra);
	rec->slices = (struct rec_slices){
		s->slices.ns, s->slices.nr - s->forgotten, s->forgotten * s->slices.ns};
	add_rows(&c);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&rec->lost[i], s->lost[i]);
	free(c.tasks);
	free(c.stacks);
	free(c.of_tasks);
	table_release(&c.spliced);
	table_release(&c.sources);
	table_release(&c.first_lines);
	tool_rows_release(&c.extra);
	samples_release(&c.rows);
	frame_table_release(&c.table);
}
