/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "condense.h"
#include "lib/hash.h"
#include "lib/limits/memory.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	TASKS_MAX = 1 << 14,
	TASK_ROWS = 4, /* rows of an ended task, on average */
	ROWS_MAX = 1 << 18,
	ROW_BYTES = 1 << 10,   /* a row with its stacks, twice because they are copied */
	ENTRIES_MIN = 1 << 17, /* tasks, stacks and rows that are worth the effort */
	ENTRY_BYTES = 1 << 8,
	LIMIT_PART = 8, /* samples get 1/8 of a memory limit */
	DEPTH_MAX = 64, /* frames of rare stacks at first; fewer if that is not enough */
};

struct condense_limits condense_limits(void)
{
	size_t rows = memory_share((uint64_t)ROWS_MAX * ROW_BYTES, LIMIT_PART) / ROW_BYTES;

	return (struct condense_limits){rows / (ROWS_MAX / TASKS_MAX), rows};
}

static size_t nr_entries(const struct samples *s)
{
	return s->nr_tasks + s->nr_stacks + s->nr_rows;
}

bool condense_is_due(const struct samples *s)
{
	size_t more = memory_share(ENTRIES_MIN * ENTRY_BYTES, 2 * LIMIT_PART) / ENTRY_BYTES;

	return s->rare_depth ||
	       nr_entries(s) > s->condensed + (s->condensed / 2 > more ? s->condensed / 2 : more);
}

/* The rows that are kept need their share, and lists that grow have some room to spare. */
bool condense_has_room(const struct samples *s)
{
	size_t bytes = samples_bytes(s), rows = condense_limits().rows;

	if (s->nr_rows > rows)
		bytes = bytes / s->nr_rows * rows;
	return memory_has(bytes + bytes / 2);
}

/* ---- tasks ---- */

/* The share of a task in the samples. */
struct task_use {
	uint32_t task;
	uint32_t rows;
	uint64_t sum;
	bool summed;
};

/*
 * Returns whether a thread runs. Threads outside of the recorder's PID namespace have no number and
 * cannot be told apart, so they do not count as running.
 */
static bool is_running(uint32_t pid, uint32_t tid)
{
	return pid && tid && (!syscall(SYS_tgkill, pid, tid, 0) || errno == EPERM);
}

/* Returns whether TASK is a sum or the idle task. */
static bool is_sum(const struct rec_task *task)
{
	return !task->tid && !task->start;
}

static const char *comm_of(const struct condense *c, const struct rec_task *task)
{
	return strpool_get(&c->from.strings, task->comm);
}

/* Returns the sum for TASK. If there are too many names, that is the sum without a name. */
static uint32_t add_sum(struct condense *c, const struct rec_task *task)
{
	uint32_t pid = is_running(task->pid, task->pid) ? task->pid : 0;
	const char *comm = comm_of(c, task);
	bool is_new;

	if (c->sums.nr >= c->max.tasks && !table_get(&c->sums, pid, hash_text(comm, strlen(comm))))
		comm = "";
	uint32_t *at = table_put(&c->sums, pid, hash_text(comm, strlen(comm)), &is_new);

	if (is_new)
		*at = samples_task(c->to, pid, 0, 0, comm);
	return *at;
}

static int compare_sums(const void *va, const void *vb)
{
	const struct task_use *a = va, *b = vb;

	if (a->sum != b->sum)
		return a->sum < b->sum ? 1 : -1;
	return (a->task < b->task) - (a->task > b->task);
}

static int compare_tasks(const void *va, const void *vb)
{
	const struct task_use *a = va, *b = vb;

	return (a->task > b->task) - (a->task < b->task);
}

/* Returns the uses of all tasks, in the order of the tasks. The caller frees them. */
static struct task_use *count_uses(const struct samples *s)
{
	struct task_use *uses = xcalloc(s->nr_tasks + 1, sizeof(*uses));

	for (size_t i = 0; i < s->nr_tasks; i++)
		uses[i].task = (uint32_t)i;
	for (size_t i = 1; i < s->nr_rows; i++) {
		struct task_use *use = &uses[s->rows[i].key.task];

		use->rows++;
		add_capped(&use->sum, s->rows[i].sum);
	}
	return uses;
}

/* Moves the tasks that have ended or have got another name to the front. Returns their number. */
static size_t move_ended(const struct samples *s, struct task_use *uses)
{
	struct table newest; /* thread -> task */
	size_t nr = 0;
	bool is_new;

	table_init(&newest);
	for (size_t i = 0; i < s->nr_tasks; i++)
		*table_put(&newest, s->tasks[i].tid, 0, &is_new) = (uint32_t)i;
	for (size_t i = 0; i < s->nr_tasks; i++) {
		const struct rec_task *task = &s->tasks[uses[i].task];
		struct task_use use = uses[i];

		if (is_sum(task) || (*table_get(&newest, task->tid, 0) == use.task &&
					    is_running(task->pid, task->tid)))
			continue;
		uses[i] = uses[nr];
		uses[nr++] = use;
	}
	table_release(&newest);
	return nr;
}

/*
 * Chooses the ended tasks that are summed. If there are too many, only half as many as allowed are
 * kept: the ones with the most samples.
 */
static void choose_sums(const struct condense *c, struct task_use *uses)
{
	size_t nr = move_ended(&c->from, uses), rows = 0, rows_max = TASK_ROWS * c->max.tasks;

	for (size_t i = 0; i < nr; i++)
		rows += uses[i].rows;
	if (nr <= c->max.tasks && rows <= rows_max)
		return;
	qsort(uses, nr, sizeof(*uses), compare_sums);
	rows = 0;
	for (size_t i = 0; i < nr; i++) {
		rows += uses[i].rows;
		uses[i].summed = i >= c->max.tasks / 2 || rows > rows_max / 2;
	}
}

static void add_tasks(struct condense *c)
{
	const struct samples *s = &c->from;
	struct task_use *uses = count_uses(s);

	choose_sums(c, uses);
	qsort(uses, s->nr_tasks, sizeof(*uses), compare_tasks);
	for (size_t i = 0; i < s->nr_tasks; i++) {
		const struct rec_task *task = &s->tasks[i];

		if (!uses[i].rows)
			continue;
		c->to->nr_summed += uses[i].summed;
		if (uses[i].summed || is_sum(task))
			c->tasks[i] = add_sum(c, task);
		else
			c->tasks[i] = samples_task(
				c->to, task->pid, task->tid, task->start, comm_of(c, task));
	}
	free(uses);
}

/* ---- stacks ---- */

/* Returns FRAME in the mapping that stands for its own mapping. */
static uint64_t merge_frame(struct condense *c, uint64_t frame)
{
	uint32_t serial = walk_frame_serial(frame);
	bool anywhere;

	if (!serial || serial > c->merged.ps->nr_maps)
		return frame;
	uint32_t other = (uint32_t)ended_maps_find(&c->merged, serial - 1, &anywhere) + 1;

	return walk_frame_move(anywhere ? 0 : frame, other);
}

/*
 * Adds the DEPTH frames of stack NUMBER that are nearest to the root, below a note if IS_RARE.
 * Returns its new number.
 */
static uint32_t add_stack(struct condense *c, uint32_t number, uint32_t depth, bool is_rare)
{
	const struct sample_stack *s = &c->from.stacks[number];
	const uint64_t *frames = c->from.frames + s->first + (s->nr - depth);
	uint64_t *kept;

	if (depth >= c->frames_alloc) {
		c->frames_alloc = 2 * depth + 1;
		c->frames = xrealloc(c->frames, c->frames_alloc, sizeof(*c->frames));
	}
	c->frames[0] = SAMPLE_RARE;
	kept = c->frames + is_rare;
	for (uint32_t i = 0; i < depth; i++)
		kept[i] = s->kind == STACK_KERNEL ? frames[i] : merge_frame(c, frames[i]);
	return samples_stack(c->to, c->frames, depth + is_rare, (enum stack_kind)s->kind, s->end);
}

/* Adds the stack S of one or more wakers, and the stacks that it consists of. */
static uint32_t add_waker(struct condense *c, const struct sample_stack *s)
{
	bool is_one = s->end == SAMPLE_WAKER;
	uint64_t *words = xcalloc(s->nr + 1, sizeof(*words));

	memcpy(words, c->from.frames + s->first, s->nr * sizeof(*words));
	for (uint32_t i = 0; i < (is_one ? SAMPLE_WAKER_COMM : s->nr); i++)
		words[i] = condense_keep(c, (uint32_t)words[i]);
	uint32_t number = samples_stack(c->to, words, s->nr, STACK_WAKER, s->end);

	free(words);
	return number;
}

/* Returns the stack that pending stack NUMBER has become, or NUMBER itself. */
static uint32_t actual_stack(const struct condense *c, uint32_t number)
{
	uint32_t actual = samples_actual(&c->from, number);

	return actual ? actual : number;
}

uint32_t condense_keep(struct condense *c, uint32_t stack)
{
	uint32_t actual = actual_stack(c, stack);
	const struct sample_stack *s = &c->from.stacks[actual];
	uint32_t *at = &c->stacks[actual];

	if (actual && !*at)
		*at = s->actual                ? samples_pending(c->to)
		      : s->kind == STACK_WAKER ? add_waker(c, s)
					       : add_stack(c, actual, s->nr, false);
	return *at;
}

/* ---- the rest ---- */

/* Copies names, labels and events. They keep their numbers, as they are added in the same order. */
static void copy_names(struct samples *to, const struct samples *s)
{
	for (size_t i = 1; i < s->nr_labels; i++) {
		const struct sample_label *label = &s->labels[i];

		samples_label(to, label->others, strpool_get(&s->strings, label->key),
			strpool_get(&s->strings, label->value));
	}
	for (size_t i = 0; i < s->nr_names; i++) {
		struct sample_name name = s->names[i];

		name.function = strpool_import(&to->strings, &s->strings, name.function);
		name.file = strpool_import(&to->strings, &s->strings, name.file);
		samples_name(to, &name);
	}
	for (size_t i = 0; i < s->nr_events; i++)
		samples_event(to, &s->events[i]);
	memcpy(to->lost, s->lost, sizeof(s->lost));
	to->nr_summed = s->nr_summed;
	to->slices = s->slices;
	to->merged = s->merged;
	to->forgotten = s->forgotten;
}

/* Drops the lookups of samples that are only copied from now on, as the copy needs the memory. */
static void drop_lookups(struct samples *s)
{
	table_release(&s->by_task);
	table_release(&s->by_stack);
	table_release(&s->by_row);
}

/* ---- rare stacks ---- */

/* Returns the DEPTH frames of STACK that are nearest to the root, below a note. */
static uint32_t shorten_stack(struct condense *c, uint32_t stack, uint32_t depth)
{
	const struct sample_stack *s = &c->from.stacks[stack];

	if (s->nr && c->from.frames[s->first] == SAMPLE_RARE && s->nr - 1 <= depth)
		return condense_keep(c, stack);
	return add_stack(c, stack, depth < s->nr ? depth : s->nr, true);
}

static uint32_t depth_of(const struct condense *c, uint32_t stack)
{
	return stack ? c->from.stacks[stack].nr : 0;
}

static uint32_t depth_of_key(const struct condense *c, const struct sample_key *key)
{
	return depth_of(c, key->user) + depth_of(c, key->vm) + depth_of(c, key->kernel);
}

static void keep_key(struct condense *c, struct sample_key *key)
{
	key->user = condense_keep(c, key->user);
	key->kernel = condense_keep(c, key->kernel);
	key->vm = condense_keep(c, key->vm);
	key->waker = condense_keep(c, key->waker);
}

/* Shortens the stacks of KEY, which are on top of each other, as if they were one stack. */
static void shorten_key(struct condense *c, struct sample_key *key)
{
	uint32_t *base = key->user ? &key->user : &key->vm;
	uint32_t below = depth_of(c, key->user) + depth_of(c, key->vm);

	if (depth_of_key(c, key) <= c->depth) {
		keep_key(c, key);
		return;
	}
	key->waker = 0; /* it is on top of the others */
	if (*base && below >= c->depth) {
		*base = shorten_stack(c, *base, c->depth);
		key->vm = base == &key->vm ? key->vm : 0;
		key->kernel = 0;
	} else {
		key->user = condense_keep(c, key->user);
		key->vm = condense_keep(c, key->vm);
		key->kernel = shorten_stack(c, key->kernel, c->depth - below);
	}
}

/* Returns the key of ROW with the stacks that pending stacks have become. */
static struct sample_key actual_key(const struct condense *c, const struct sample_row *row)
{
	struct sample_key key = row->key;

	key.user = actual_stack(c, key.user);
	key.kernel = actual_stack(c, key.kernel);
	key.vm = actual_stack(c, key.vm);
	key.waker = actual_stack(c, key.waker);
	return key;
}

/* Returns whether a row with KEY and SUM is shortened: it has few samples and no pending stack. */
static bool is_rare(const struct condense *c, const struct sample_key *key, uint64_t sum)
{
	const struct sample_stack *stacks = c->from.stacks;

	return c->depth && sum <= c->rare && !stacks[key->user].actual && !stacks[key->vm].actual &&
	       !stacks[key->kernel].actual;
}

static int compare_numbers(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return (*a < *b) - (*a > *b);
}

/* Returns the largest sum of the rows that are not among the NR largest. */
static uint64_t rare_sum(const struct samples *s, size_t nr)
{
	uint64_t *sums = xcalloc(s->nr_rows, sizeof(*sums)), sum;

	for (size_t i = 1; i < s->nr_rows; i++)
		sums[i - 1] = s->rows[i].sum;
	qsort(sums, s->nr_rows - 1, sizeof(*sums), compare_numbers);
	sum = sums[nr];
	free(sums);
	return sum;
}

/* Chooses which rows are rare, and halves c->depth until it is less than the depth of one. */
static void choose_rare(struct condense *c)
{
	uint32_t deepest = 0;

	c->rare = rare_sum(&c->from, c->max.rows / 2);
	for (size_t i = 1; i < c->from.nr_rows; i++) {
		struct sample_key key = actual_key(c, &c->from.rows[i]);
		uint32_t depth = depth_of_key(c, &key);

		if (depth > deepest && is_rare(c, &key, c->from.rows[i].sum))
			deepest = depth;
	}
	while (c->depth > 1 && c->depth >= deepest)
		c->depth /= 2;
}

/* ---- all ---- */

void condense_begin(struct condense *c, struct samples *s, struct processes *ps,
	struct condense_limits max, int64_t time_ns)
{
	*c = (struct condense){.from = *s, .to = s, .max = max, .depth = s->rare_depth, .next = 1};
	drop_lookups(&c->from);
	c->stacks = xcalloc(c->from.nr_stacks, sizeof(*c->stacks));
	c->tasks = xcalloc(c->from.nr_tasks, sizeof(*c->tasks));
	samples_init(s);
	table_init(&c->sums);
	ended_maps_init(&c->merged, ps, time_ns);
	copy_names(s, &c->from);
	add_tasks(c);
	if (c->depth)
		choose_rare(c);
}

static void copy_row(struct condense *c, const struct sample_row *row)
{
	struct sample_key key = actual_key(c, row);

	if (samples_forgot(row))
		return;
	key.task = c->tasks[key.task];
	if (is_rare(c, &key, row->sum))
		shorten_key(c, &key);
	else
		keep_key(c, &key);
	samples_add_row(c->to, &key, &c->from, row);
}

bool condense_step(struct condense *c, size_t nr)
{
	for (; nr && c->next < c->from.nr_rows; nr--)
		copy_row(c, &c->from.rows[c->next++]);
	return c->next < c->from.nr_rows;
}

void condense_end(struct condense *c)
{
	condense_step(c, SIZE_MAX);
	c->to->condensed = nr_entries(c->to);
	if (c->to->nr_rows > c->max.rows)
		c->to->rare_depth = c->depth ? c->depth / 2 : DEPTH_MAX;
	condense_release(c);
}

void condense_release(struct condense *c)
{
	if (!c->to)
		return;
	samples_release(&c->from);
	free(c->stacks);
	free(c->tasks);
	free(c->frames);
	table_release(&c->sums);
	ended_maps_release(&c->merged);
	*c = (struct condense){0};
}

void condense_last(struct samples *s, struct processes *ps)
{
	struct condense_limits max = condense_limits();

	if (s->nr_tasks <= max.tasks && s->nr_rows <= max.rows)
		return;
	while (condense_has_room(s)) {
		struct condense c;

		condense_begin(&c, s, ps, max, monotonic_ns());
		condense_end(&c);
		if (!s->rare_depth)
			return;
	}
}

static bool is_short(const struct samples *s, uint32_t stack)
{
	return stack && s->stacks[stack].nr && s->frames[s->stacks[stack].first] == SAMPLE_RARE;
}

void condense_note(const struct samples *s, struct strbuf *notes)
{
	uint64_t rare = 0;

	for (size_t i = 1; i < s->nr_rows; i++) {
		const struct sample_key *key = &s->rows[i].key;

		if (is_short(s, key->user) || is_short(s, key->kernel) || is_short(s, key->vm))
			add_capped(&rare, s->rows[i].count);
	}
	if (s->nr_summed)
		strbuf_addf(notes,
			"%" PRIu64 " threads that had ended are summed by their names: of more "
			"than %zu only those with the most samples are kept one by one\n",
			s->nr_summed, condense_limits().tasks);
	if (rare)
		strbuf_addf(notes,
			"%" PRIu64 " samples have stacks without the innermost frames, [rare]: of "
			"more than %zu different ones only those with the most samples are kept "
			"as they are\n",
			rare, condense_limits().rows);
}
