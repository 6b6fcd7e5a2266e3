/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"
#include "condense.h"
#include "runtime/java/jvms.h"
#include "frame_table.h"
#include "lib/util.h"
#include "memberships.h"
#include "process/task.h"
#include "same_names.h"
#include "samples.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>
#include <string.h>

struct collector {
	struct samples *samples;
	const struct processes *ps;
	struct memberships *ms; /* or NULL if no cgroups are recorded */
	struct recording *rec;
	struct frame_table table;
	uint32_t *events; /* numbers in rec by numbers in samples */
	uint32_t *tasks;  /* numbers in rec + 1 by numbers in samples, or 0 if not added yet */
	uint32_t *stacks; /* numbers in rec + 1 by numbers in samples, or 0 if not added yet */
	struct task_labels {
		bool known;
		size_t nr;
		struct label list[MEMBERSHIP_LABELS];
	} * of_tasks; /* by numbers in samples */
	struct same_names same;
	struct table spliced; /* user stack, VM stack -> stack of rec */
};

/* ---- frames of user space ---- */

/* A decoded frame of samples_user_frame(). */
struct user_frame {
	const struct mapping *map; /* or NULL */
	uint64_t address;
	bool call;
	bool is_vm; /* as in WALK_FRAME_VM */
};

static struct user_frame decode_frame(const struct collector *c, uint64_t frame)
{
	uint32_t serial = walk_frame_serial(frame);
	const struct mapping *m =
		serial && serial <= c->ps->nr_maps ? &c->ps->maps[serial - 1] : NULL;

	return (struct user_frame){m, (m ? m->start : 0) + walk_frame_offset(frame),
		walk_frame_is_call(frame), walk_frame_is_vm(frame)};
}

static uint32_t frame_of(struct collector *c, uint64_t frame)
{
	struct user_frame f = decode_frame(c, frame);

	if (frame == SAMPLE_RARE)
		return frame_table_rare(&c->table);
	if (f.is_vm && (!f.map || !c->ps->objects[f.map->object].elf))
		return frame_table_trace(&c->table);
	return frame_table_user(&c->table, f.map, f.address, f.call);
}

static const struct object *object_of(const struct collector *c, const struct user_frame *f)
{
	return f->map ? &c->ps->objects[f->map->object] : NULL;
}

/* ---- how stacks ended ---- */

/* Asks for the unwind rules of FRAME. Returns false if it is in no ELF file. */
static bool ask_rules(const struct collector *c, uint64_t frame, struct elf_question *q)
{
	struct user_frame f = decode_frame(c, frame);
	const struct object *o = object_of(c, &f);

	if (!o || !o->elf)
		return false;
	*q = (struct elf_question){.elf = o->elf,
		.fact = FACT_RULES,
		.place = f.address - f.call - f.map->start + f.map->offset};
	return true;
}

/* Asks whether the call in FRAME is in main. Returns false if it is in no ELF file. */
static bool ask_main(const struct collector *c, uint64_t frame, struct elf_question *q)
{
	struct user_frame f = decode_frame(c, frame);
	const struct object *o = object_of(c, &f);
	uint64_t link;

	if (!o || !o->elf ||
		!elffile_mapped(o->elf, f.map->offset, f.map->end - f.map->start, &link))
		return false;
	*q = (struct elf_question){
		.elf = o->elf, .fact = FACT_MAIN, .place = link + (f.address - f.map->start) - 1};
	return true;
}

/* Sets *Q to the question that judge() needs answered for S. Returns false if there is none. */
static bool ask_end(const struct collector *c, const struct sample_stack *s, struct elf_question *q)
{
	const uint64_t *frames = c->samples->frames + s->first;

	if (s->end == SAMPLE_UNKNOWN)
		return ask_rules(c, frames[s->nr - 1], q);
	return s->end == WALK_NO_RULE && s->nr > 1 && ask_main(c, frames[s->nr - 2], q);
}

/* Asks the files about all stacks at once. */
static void ask_ends(const struct collector *c)
{
	const struct samples *s = c->samples;
	struct elf_question *list = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = 1; i < s->nr_stacks; i++) {
		ALLOC_GROW(list, nr, alloc);
		nr += s->stacks[i].kind == STACK_USER && s->stacks[i].nr &&
		      ask_end(c, &s->stacks[i], &list[nr]);
	}
	elffacts_ask(list, nr);
	free(list);
}

/*
 * Returns whether FRAME is in main. Its caller is then the start code of the C library, which may
 * have no unwind rules (musl).
 */
static bool is_in_main(const struct collector *c, uint64_t frame)
{
	struct elf_question q;

	return ask_main(c, frame, &q) && elffacts_is_main(q.elf, q.place);
}

static enum stack_end ended_by(struct collector *c, enum cut_cause cause, uint32_t *cut_by)
{
	*cut_by = recording_string(c->rec, cut_word(cause));
	return cause < BROKEN_FAILED ? END_CUT : END_BROKEN;
}

static enum stack_end cut_in(
	struct collector *c, uint64_t frame, enum cut_cause cause, uint32_t *cut_by)
{
	*cut_by = frame_table_cut_by(&c->table, decode_frame(c, frame).map, cause);
	return END_CUT;
}

/* Judges the stack of an unwinder that only reports that it stopped at FRAME. */
static enum stack_end judge_by_rules(struct collector *c, uint64_t frame, uint32_t *cut_by)
{
	struct user_frame f = decode_frame(c, frame);
	const struct object *o = object_of(c, &f);
	enum elf_rules rules = RULES_NONE;
	struct elf_question q;

	if (!o)
		return END_BROKEN;
	if (ask_rules(c, frame, &q))
		rules = elffacts_rules(q.elf, q.place);
	if (rules == RULES_ROOT)
		return END_ROOT;
	if (rules == RULES_SOME && o->has_rules)
		return END_BROKEN;
	return cut_in(c, frame, CUT_RULES, cut_by);
}

/*
 * Returns how a user stack ended. Sets *CUT_BY to what cut or broke it, or to 0 if nothing did or
 * it is not known.
 */
static enum stack_end judge(struct collector *c, const struct sample_stack *s, uint32_t *cut_by)
{
	const uint64_t *frames = c->samples->frames + s->first;

	*cut_by = 0;
	switch (s->end) {
	case WALK_ROOT:
		return END_ROOT;
	case WALK_DEEP:
		return ended_by(c, CUT_DEPTH, cut_by);
	case WALK_BUSY:
		return ended_by(c, CUT_BUSY, cut_by);
	case WALK_COROUTINE:
		return ended_by(c, CUT_COROUTINE, cut_by);
	case WALK_PROBED:
		return ended_by(c, CUT_PROBED, cut_by);
	case SAMPLE_EARLIER:
		return ended_by(c, CUT_EARLIER, cut_by);
	case SAMPLE_UNKNOWN:
		return judge_by_rules(c, frames[s->nr - 1], cut_by);
	case WALK_NO_RULE:
		if (s->nr > 1 && is_in_main(c, frames[s->nr - 2]))
			return END_ROOT;
		return cut_in(c, frames[s->nr - 1], CUT_RULES, cut_by);
	case WALK_PENDING:
		return cut_in(c, frames[s->nr - 1], CUT_LATE, cut_by);
	case WALK_NO_READ:
		return ended_by(c, BROKEN_MEMORY, cut_by);
	case WALK_NO_MAP:
		return ended_by(c, BROKEN_CALLER, cut_by);
	default:
		return END_BROKEN;
	}
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

static uint32_t add_user_stack(struct collector *c, const struct sample_stack *s)
{
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));
	uint32_t cut_by;
	enum stack_end end = judge(c, s, &cut_by);

	for (uint32_t i = 0; i < s->nr; i++)
		frames[i] = frame_of(c, c->samples->frames[s->first + i]);
	uint32_t id =
		recording_add_stack(c->rec, (enum stack_kind)s->kind, end, cut_by, frames, s->nr);

	free(frames);
	return id;
}

static const struct sample_name *name_at(const struct collector *c, uint64_t number)
{
	return &c->samples->names[number];
}

/* Returns the number of STRING in the recording. */
static uint32_t string_of(struct collector *c, uint32_t string)
{
	return recording_string(c->rec, strpool_get(&c->samples->strings, string));
}

/* Adds a kernel stack of named frames. */
static uint32_t add_named_stack(struct collector *c, const struct sample_stack *s)
{
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t number = c->samples->frames[s->first + i];

		if (number == SAMPLE_RARE) {
			frames[i] = frame_table_rare(&c->table);
			continue;
		}
		const struct sample_name *name = name_at(c, number);

		frames[i] = frame_table_named(&c->table,
			strpool_get(&c->samples->strings, name->function),
			strpool_get(&c->samples->strings, name->file), name->what);
	}
	uint32_t id = recording_add_stack(c->rec, STACK_KERNEL, END_ROOT, 0, frames, s->nr);

	free(frames);
	return id;
}

static uint32_t vm_frame(struct collector *c, const struct vm *vm, uint64_t number)
{
	if (number > UINT32_MAX)
		return frame_of(c, number);
	const struct sample_name *name = name_at(c, number);
	enum frame_kind kind = name->what & vm->compiled ? FRAME_JIT : language_frame(vm->language);

	return frame_table_vm(&c->table, vm, kind, same_names_string(&c->same, c->rec, name),
		string_of(c, name->file), name->line);
}

/* Returns false for entries that only mark a possible run loop, for splicing. */
static bool is_frame(const struct collector *c, const struct vm *vm, uint64_t number)
{
	return number > UINT32_MAX || vm->splice->is_frame(name_at(c, number)->what);
}

static uint32_t add_vm_stack(struct collector *c, const struct sample_stack *s)
{
	const struct vm *vm = vm_of_stack((enum stack_kind)s->kind);
	const uint64_t *from = c->samples->frames + s->first;
	uint32_t *frames = xcalloc(s->nr, sizeof(*frames)), nr = 0;

	for (uint32_t i = 0; i < s->nr; i++)
		if (is_frame(c, vm, from[i]))
			frames[nr++] = vm_frame(c, vm, from[i]);
	uint32_t id = frame_table_vm_stack(&c->table, vm, (enum vm_end)s->end, frames, nr);

	free(frames);
	return id;
}

static uint32_t add_stack(struct collector *c, const struct sample_stack *s)
{
	if (why_no_stack(s))
		return frame_table_no_stack(&c->table, why_no_stack(s));
	if (s->end == SAMPLE_EARLIER || s->kind == STACK_USER)
		return add_user_stack(c, s);
	if (s->end == SAMPLE_NAMED)
		return add_named_stack(c, s);
	if (s->kind == STACK_KERNEL)
		return frame_table_kernel_stack(&c->table, c->samples->frames + s->first, s->nr);
	return add_vm_stack(c, s);
}

static uint32_t stack_of(struct collector *c, uint32_t number)
{
	if (!c->stacks[number])
		c->stacks[number] = add_stack(c, &c->samples->stacks[number]) + 1;
	return c->stacks[number] - 1;
}

/* Returns the frames of a user stack with their roles for VM. The caller frees them. */
static struct splice_native *native_frames(
	struct collector *c, const struct vm *vm, const struct sample_stack *s)
{
	struct splice_native *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t frame = c->samples->frames[s->first + i];
		struct user_frame f = decode_frame(c, frame);

		list[i].id = frame_of(c, frame);
		list[i].role = vm->splice->in_place && f.is_vm
				       ? SPLICE_LOOP
				       : frame_table_role(&c->table, vm, f.map, f.address - f.call);
	}
	return list;
}

static struct splice_frame *vm_frames(
	struct collector *c, const struct vm *vm, const struct sample_stack *s)
{
	struct splice_frame *list = xcalloc(s->nr, sizeof(*list));

	for (uint32_t i = 0; i < s->nr; i++) {
		uint64_t number = c->samples->frames[s->first + i];

		list[i].what = number > UINT32_MAX ? 0 : name_at(c, number)->what;
		if (is_frame(c, vm, number))
			list[i].id = vm_frame(c, vm, number);
	}
	return list;
}

/* Returns the user stack and the VM stack as one stack. */
static uint32_t spliced_stack(struct collector *c, uint32_t user, uint32_t in_vm)
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
	enum stack_end end = judge(c, native, &cut_by);

	*at = frame_table_mixed_stack(&c->table, vm, &s, end, cut_by);
	free(natives);
	free(frames);
	return *at;
}

/* ---- rows ---- */

/* Removes the frames of the probe itself from a kernel stack. */
static void drop_own_frames(struct collector *c, uint32_t number)
{
	struct samples *s = c->samples;
	const struct sample_stack stack = s->stacks[number];
	const uint64_t *from = s->frames + stack.first;
	bool rare = stack.nr && *from == SAMPLE_RARE;
	size_t own;

	if (stack.actual || stack.kind != STACK_KERNEL || stack.end == SAMPLE_NAMED ||
		!(own = frame_table_own(&c->table, from + rare, stack.nr - rare)))
		return;
	uint32_t nr = stack.nr - (uint32_t)own;
	uint64_t *frames = xcalloc(nr, sizeof(*frames));

	memcpy(frames, from + own, nr * sizeof(*frames));
	if (rare)
		*frames = SAMPLE_RARE;
	uint32_t trimmed = samples_stack(s, frames, nr, STACK_KERNEL, stack.end);

	s->stacks[number].actual = trimmed; /* the stacks may have moved */
	free(frames);
}

/* Replaces a pending stack by the actual one. Returns false if it was never set. */
static bool replace_stack(struct collector *c, uint32_t *number)
{
	if (*number)
		drop_own_frames(c, *number);
	uint32_t actual = *number ? samples_actual(c->samples, *number) : 0;
	bool lost = *number && !actual;

	*number = actual;
	return !lost;
}

/*
 * Merges the rows of pending stacks with the rows of the actual stacks. If a stack of a row was
 * never set, the row is lost, because half a stack would be wrong.
 */
static void merge_rows(struct collector *c)
{
	struct samples *s = c->samples;
	size_t nr = s->nr_rows;

	for (size_t i = 1; i < nr; i++) {
		struct sample_row row = s->rows[i];
		struct sample_key key = row.key;
		bool is_whole = replace_stack(c, &key.user) & replace_stack(c, &key.kernel) &
				replace_stack(c, &key.vm);

		if (is_whole && !memcmp(&key, &row.key, sizeof(key)))
			continue;
		s->rows[i].count = 0;
		if (is_whole)
			samples_add(s, &key, row.count, row.sum);
		else
			add_capped(&s->lost[LOST_NO_BODY], row.count);
	}
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

static uint32_t task_of(struct collector *c, uint32_t number)
{
	const struct sample_task *task = &c->samples->tasks[number];

	if (!c->tasks[number])
		c->tasks[number] = recording_add_task(c->rec,
					   &(struct rec_task){
						   .pid = task->pid,
						   .tid = task->tid,
						   .start = task->start / task_tick_ns(),
						   .comm = string_of(c, task->comm),
					   }) +
				   1;
	return c->tasks[number] - 1;
}

/* Returns the labels of the cgroup of a task's process. */
static const struct task_labels *labels_of_task(struct collector *c, uint32_t number)
{
	const struct sample_task *task = &c->samples->tasks[number];
	struct task_labels *labels = &c->of_tasks[number];
	struct membership_label list[MEMBERSHIP_LABELS];
	const char *path;

	if (labels->known || !c->ms)
		return labels;
	labels->known = true;
	path = memberships_cgroup(c->ms, task->pid, task->start / task_tick_ns());
	labels->nr = path ? memberships_labels(path, list) : 0;
	for (size_t i = 0; i < labels->nr; i++) {
		char *value = xstrndup(list[i].value, list[i].len);

		labels->list[i] = (struct label){
			recording_string(c->rec, list[i].key), recording_string(c->rec, value)};
		free(value);
	}
	return labels;
}

/*
 * Returns the labels of a row. The newest label comes first: it overrides an older label with the
 * same key, and the labels of the process.
 */
static uint32_t labels_of(struct collector *c, const struct sample_key *key)
{
	const struct task_labels *process = labels_of_task(c, key->task);
	struct label labels[LABEL_SET_MAX];
	size_t nr = 0;

	for (uint32_t set = key->labels; set && nr < LABEL_SET_MAX - MEMBERSHIP_LABELS;
		set = c->samples->labels[set].others) {
		const struct sample_label *label = &c->samples->labels[set];

		labels[nr++] = (struct label){string_of(c, label->key), string_of(c, label->value)};
	}
	for (size_t i = 0; i < process->nr; i++)
		labels[nr++] = process->list[i];
	return recording_labels(c->rec, labels, nr);
}

static void add_row(struct collector *c, const struct sample_row *from)
{
	const struct sample_key *key = &from->key;
	struct rec_row row = {
		.event = c->events[key->event],
		.task = task_of(c, key->task),
		.stacks = {NO_STACK, NO_STACK, NO_STACK, NO_STACK},
		.labels = labels_of(c, key),
		.slice = key->slice,
		.count = from->count,
		.sum = from->sum / c->samples->events[key->event].divisor,
	};
	int n = 0;

	if (key->user && key->vm)
		row.stacks[n++] = spliced_stack(c, key->user, key->vm);
	else if (key->user || key->vm)
		row.stacks[n++] = stack_of(c, key->user | key->vm);
	if (key->kernel)
		row.stacks[n++] = stack_of(c, key->kernel);
	recording_add_row(c->rec, &row);
}

static void add_rows(struct collector *c)
{
	struct samples *s = c->samples;

	qsort(s->rows + 1, s->nr_rows - 1, sizeof(*s->rows), compare_rows);
	for (size_t i = 1; i < s->nr_rows; i++)
		if (s->rows[i].count)
			add_row(c, &s->rows[i]);
}

static void add_events(struct collector *c)
{
	const struct samples *s = c->samples;

	c->events = xcalloc(s->nr_events, sizeof(*c->events));
	for (size_t i = 0; i < s->nr_events; i++) {
		const struct sample_event *e = &s->events[i];

		c->events[i] = recording_add_event(c->rec, e->name, e->unit, e->clock, e->period);
	}
}

void collect_jit_names(
	const struct samples *s, struct processes *ps, struct jvms *jvms, struct strbuf *notes)
{
	if (!jvms)
		return;
	bool *used = xcalloc(ps->nr_maps + 1, sizeof(*used));

	samples_mark_mappings(s, used, ps->nr_maps);
	jvms_finish(jvms, used, notes);
	free(used);
}

void collect(struct samples *s, struct processes *ps, struct memberships *ms,
	const struct kallsyms *ks, struct recording *rec)
{
	struct collector c = {.samples = s, .ps = ps, .ms = ms, .rec = rec};

	condense_last(s, ps);
	frame_table_init(&c.table, ps, ks, rec);
	table_init(&c.spliced);
	same_names_init(&c.same, s);
	merge_rows(&c);
	ask_ends(&c);
	c.tasks = xcalloc(s->nr_tasks, sizeof(*c.tasks));
	c.stacks = xcalloc(s->nr_stacks, sizeof(*c.stacks));
	c.of_tasks = xcalloc(s->nr_tasks, sizeof(*c.of_tasks));
	add_events(&c);
	add_rows(&c);
	for (int i = 0; i < LOST_REASONS; i++)
		add_capped(&rec->lost[i], s->lost[i]);
	free(c.events);
	free(c.tasks);
	free(c.stacks);
	free(c.of_tasks);
	table_release(&c.spliced);
	same_names_release(&c.same);
	frame_table_release(&c.table);
}
