/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "samples.h"
#include "lib/hash.h"
#include "lib/util.h"
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_FIRST = 4096 };

void samples_init(struct samples *s)
{
	*s = (struct samples){.nr_stacks = 1, .nr_labels = 1, .nr_rows = 1};
	strpool_init(&s->strings);
	table_init(&s->by_task);
	table_init(&s->by_stack);
	table_init(&s->by_name);
	table_init(&s->by_label);
	table_init(&s->by_row);
	series_init(&s->series);
	s->stacks = xcalloc(16, sizeof(*s->stacks));
	s->labels = xcalloc(16, sizeof(*s->labels));
	s->rows = xcalloc(16, sizeof(*s->rows));
	s->stacks_alloc = s->labels_alloc = s->rows_alloc = 16;
	s->frames = xcalloc(FRAMES_FIRST, sizeof(*s->frames)); /* for stacks without frames */
	s->frames_alloc = FRAMES_FIRST;
}

void samples_release(struct samples *s)
{
	strpool_release(&s->strings);
	table_release(&s->by_task);
	table_release(&s->by_stack);
	table_release(&s->by_name);
	table_release(&s->by_label);
	table_release(&s->by_row);
	series_release(&s->series);
	free(s->events);
	free(s->tasks);
	free(s->stacks);
	free(s->frames);
	free(s->names);
	free(s->labels);
	free(s->rows);
	*s = (struct samples){0};
}

uint32_t samples_event(struct samples *s, const struct sample_event *event)
{
	ALLOC_GROW(s->events, s->nr_events, s->events_alloc);
	s->events[s->nr_events] = *event;
	return (uint32_t)s->nr_events++;
}

uint32_t samples_task(
	struct samples *s, uint32_t pid, uint32_t tid, uint64_t start, const char *comm)
{
	bool is_new;
	uint32_t *at = table_put(&s->by_task, hash_pair(start, (uint64_t)pid << 32 | tid),
		hash_text(comm, strlen(comm)), &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)s->nr_tasks;
	ALLOC_GROW(s->tasks, s->nr_tasks, s->tasks_alloc);
	s->tasks[s->nr_tasks] = (struct rec_task){
		.start = start, .pid = pid, .tid = tid, .comm = strpool_adds(&s->strings, comm)};
	return (uint32_t)s->nr_tasks++;
}

uint32_t samples_name(struct samples *s, const struct sample_name *name)
{
	bool is_new;
	uint32_t *at = table_put(&s->by_name,
		hash_pair((uint64_t)name->function << 32 | name->file,
			(uint64_t)name->first_line << 32 | name->line),
		hash_pair(name->what, (uint64_t)name->blob << 1 | name->late), &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)s->nr_names;
	ALLOC_GROW(s->names, s->nr_names, s->names_alloc);
	s->names[s->nr_names] = *name;
	return (uint32_t)s->nr_names++;
}

uint32_t samples_label(struct samples *s, uint32_t others, const char *key, const char *value)
{
	struct sample_label label = {
		strpool_adds(&s->strings, key), strpool_adds(&s->strings, value), others};
	bool is_new;
	uint32_t *at =
		table_put(&s->by_label, (uint64_t)label.key << 32 | label.value, others, &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)s->nr_labels;
	ALLOC_GROW(s->labels, s->nr_labels, s->labels_alloc);
	s->labels[s->nr_labels] = label;
	return (uint32_t)s->nr_labels++;
}

bool samples_has_label(struct samples *s, uint32_t others, const char *key, const char *value)
{
	uint64_t label =
		(uint64_t)strpool_adds(&s->strings, key) << 32 | strpool_adds(&s->strings, value);

	return table_get(&s->by_label, label, others);
}

/* ---- stacks ---- */

static uint32_t add_stack(struct samples *s, const uint64_t *frames, uint32_t nr)
{
	ALLOC_GROW(s->stacks, s->nr_stacks, s->stacks_alloc);
	while (s->nr_frames + nr > s->frames_alloc) {
		s->frames_alloc *= 2;
		s->frames = xrealloc(s->frames, s->frames_alloc, sizeof(*s->frames));
	}
	if (nr)
		memcpy(s->frames + s->nr_frames, frames, nr * sizeof(*frames));
	s->stacks[s->nr_stacks] = (struct sample_stack){.first = s->nr_frames, .nr = nr};
	s->nr_frames += nr;
	return (uint32_t)s->nr_stacks++;
}

uint32_t samples_stack(
	struct samples *s, const uint64_t *frames, uint32_t nr, enum stack_kind kind, unsigned end)
{
	uint64_t hash = hash_text(nr ? (const char *)frames : "", nr * sizeof(*frames));
	bool is_new;
	uint32_t *first = table_put(&s->by_stack, hash, (uint64_t)kind << 8 | end, &is_new);

	for (uint32_t i = is_new ? 0 : *first; i; i = s->stacks[i].next) {
		const struct sample_stack *k = &s->stacks[i];

		if (k->nr == nr &&
			(!nr || !memcmp(s->frames + k->first, frames, nr * sizeof(*frames))))
			return i;
	}
	uint32_t number = add_stack(s, frames, nr);

	s->stacks[number].kind = (uint8_t)kind;
	s->stacks[number].end = (uint8_t)end;
	s->stacks[number].next = is_new ? 0 : *first;
	return *first = number;
}

uint32_t samples_waker(
	struct samples *s, uint32_t user, uint32_t kernel, uint32_t vm, const char *comm)
{
	const uint64_t words[SAMPLE_WAKER_WORDS] = {
		[SAMPLE_WAKER_USER] = user,
		[SAMPLE_WAKER_KERNEL] = kernel,
		[SAMPLE_WAKER_VM] = vm,
		[SAMPLE_WAKER_COMM] = samples_name(
			s, &(struct sample_name){.function = strpool_adds(&s->strings, comm)}),
	};

	return samples_stack(s, words, SAMPLE_WAKER_WORDS, STACK_WAKER, SAMPLE_WAKER);
}

uint32_t samples_wakers(struct samples *s, const uint32_t *list, uint32_t nr)
{
	uint64_t *words = xcalloc(nr + 1, sizeof(*words));
	uint32_t known = 0;

	for (; known < nr && list[known]; known++)
		words[known] = list[known];
	uint32_t number =
		known == 1 ? list[0] : samples_stack(s, words, known, STACK_WAKER, SAMPLE_WAKERS);

	free(words);
	return number;
}

uint32_t samples_pending(struct samples *s)
{
	uint32_t number = add_stack(s, NULL, 0);

	return s->stacks[number].actual = number;
}

void samples_set_pending(struct samples *s, uint32_t pending, uint32_t stack)
{
	if (stack)
		s->stacks[pending].actual = stack;
}

uint32_t samples_actual(const struct samples *s, uint32_t number)
{
	uint32_t actual = s->stacks[number].actual;

	return !actual ? number : actual == number ? 0 : samples_actual(s, actual);
}

uint64_t samples_user_frame(const struct mapping *m, uint64_t address, bool call)
{
	uint32_t serial = m ? m->shared + 1 : 0;

	if (!serial || serial >= WALK_SERIALS)
		return walk_frame(NULL, address, call);
	return walk_frame(&(struct walk_map){.start = m->start, .serial = serial}, address, call);
}

struct user_frame samples_decode_frame(const struct processes *ps, uint64_t frame)
{
	uint32_t serial = walk_frame_serial(frame);
	const struct mapping *m = serial && serial <= ps->nr_maps ? &ps->maps[serial - 1] : NULL;

	return (struct user_frame){m, m ? &ps->objects[m->object] : NULL,
		(m ? m->start : 0) + walk_frame_offset(frame), walk_frame_is_call(frame),
		walk_frame_is_vm(frame)};
}

/* ---- rows ---- */

/* Returns the row of KEY, which is added if it is new. */
static struct sample_row *row_of(struct samples *s, const struct sample_key *key)
{
	uint64_t hash = hash_text((const char *)key, sizeof(*key));
	bool is_new;
	uint32_t *first = table_put(&s->by_row, hash, key->task, &is_new);

	for (uint32_t i = is_new ? 0 : *first; i; i = s->rows[i].next)
		if (!memcmp(&s->rows[i].key, key, sizeof(*key)))
			return &s->rows[i];
	ALLOC_GROW(s->rows, s->nr_rows, s->rows_alloc);
	s->rows[s->nr_rows] = (struct sample_row){.key = *key, .next = is_new ? 0 : *first};
	*first = (uint32_t)s->nr_rows;
	return &s->rows[s->nr_rows++];
}

static struct sample_row *add_to_row(
	struct samples *s, const struct sample_key *key, uint64_t count, uint64_t sum)
{
	struct sample_row *row = row_of(s, key);

	add_capped(&row->count, count);
	add_capped(&row->sum, sum);
	return row;
}

void samples_add(struct samples *s, const struct sample_key *key, uint64_t count, uint64_t sum)
{
	add_to_row(s, key, count, sum);
}

uint32_t samples_slice(const struct samples *s, uint32_t slice)
{
	return ((slice - 1) >> s->merged) + 1;
}

static void add_item(struct samples *s, struct sample_row *row, const struct series_item *item)
{
	uint32_t last = item->slice + item->more;

	row->series = series_add(&s->series, row->series, item);
	if (last > s->slices.nr)
		s->slices.nr = last;
}

void samples_add_at(struct samples *s, const struct sample_key *key, const struct series_item *at)
{
	uint64_t nr = (uint64_t)at->more + 1;
	struct sample_row *row = add_to_row(s, key, nr * at->count, nr * at->sum);
	struct series_item item = *at;

	if (!at->slice)
		return;
	if (!s->merged) {
		add_item(s, row, &item);
		return;
	}
	item.more = 0;
	for (uint32_t i = 0; i < nr; i++) {
		item.slice = samples_slice(s, at->slice + i);
		add_item(s, row, &item);
	}
}

void samples_add_row(struct samples *s, const struct sample_key *key, const struct samples *from,
	const struct sample_row *row)
{
	struct sample_row *to = add_to_row(s, key, row->count, row->sum);

	to->series = series_add_all(&s->series, to->series, &from->series, row->series);
}

void samples_add_counts(struct samples *s, const struct sample_key *key, const struct samples *from,
	const struct sample_row *row)
{
	struct sample_row *to = add_to_row(s, key, row->count, row->count);
	struct series_reader r = series_read(&from->series, row->series);

	while (series_next(&r)) {
		r.item.sum = r.item.count;
		if (r.item.count)
			to->series = series_add(&s->series, to->series, &r.item);
	}
}

/* Reduces ROW, whose series is in OLD, to what is behind the first NR slices. */
static void forget_in_row(
	struct samples *s, struct sample_row *row, const struct series_pool *old, uint32_t nr)
{
	struct series_reader r = series_read(old, row->series);

	row->count = row->sum = 0;
	row->series = 0;
	while (series_next(&r)) {
		struct series_item item = r.item;
		uint32_t last = item.slice + item.more;

		if (last <= nr)
			continue;
		item.slice = item.slice > nr ? item.slice : nr + 1;
		item.more = last - item.slice;
		add_product_capped(&row->count, item.count, (uint64_t)item.more + 1);
		add_product_capped(&row->sum, item.sum, (uint64_t)item.more + 1);
		add_item(s, row, &item);
	}
}

void samples_forget(struct samples *s, uint32_t nr)
{
	struct series_pool old = s->series;

	if (nr < s->forgotten)
		return;
	series_init(&s->series);
	for (size_t i = 1; i < s->nr_rows; i++)
		forget_in_row(s, &s->rows[i], &old, nr);
	s->forgotten = nr;
	series_release(&old);
}

bool samples_forgot(const struct sample_row *row)
{
	return !row->count && !row->sum;
}

void samples_halve_slices(struct samples *s)
{
	struct series_pool old = s->series;

	series_init(&s->series);
	s->merged++;
	s->slices = (struct rec_slices){2 * s->slices.ns, (s->slices.nr + 1) / 2, 0};
	for (size_t i = 1; i < s->nr_rows; i++) {
		struct series_reader r = series_read(&old, s->rows[i].series);

		s->rows[i].series = 0;
		while (series_next(&r)) {
			struct series_item half = {0, 0, r.item.count, r.item.sum};

			for (uint32_t k = 0; k <= r.item.more; k++) {
				half.slice = (r.item.slice + k + 1) / 2;
				add_item(s, &s->rows[i], &half);
			}
		}
	}
	series_release(&old);
}

void samples_mark_frames(const uint64_t *frames, size_t nr_frames, bool *used, size_t nr)
{
	for (size_t i = 0; i < nr_frames; i++) {
		uint32_t serial = walk_frame_serial(frames[i]);

		if (serial && serial <= nr)
			used[serial - 1] = true;
	}
}

size_t samples_bytes(const struct samples *s)
{
	size_t lists = s->nr_tasks * sizeof(*s->tasks) + s->nr_stacks * sizeof(*s->stacks) +
		       s->nr_frames * sizeof(*s->frames) + s->nr_rows * sizeof(*s->rows);

	return lists + lists / 4; /* with the tables that find them */
}

static int compare_addresses(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

uint64_t *samples_kernel_addresses(const struct samples *s, size_t *nr)
{
	struct table seen;
	uint64_t *list = NULL;
	size_t alloc = 0;
	bool is_new;

	*nr = 0;
	table_init(&seen);
	for (size_t i = 1; i < s->nr_stacks; i++) {
		const struct sample_stack *stack = &s->stacks[i];

		if (stack->kind != STACK_KERNEL || stack->end == SAMPLE_NAMED)
			continue;
		for (uint32_t k = 0; k < stack->nr; k++) {
			uint64_t address = s->frames[stack->first + k];

			table_put(&seen, address, 0, &is_new);
			if (!is_new || address == SAMPLE_RARE)
				continue;
			ALLOC_GROW(list, *nr, alloc);
			list[(*nr)++] = address;
		}
	}
	table_release(&seen);
	if (list)
		qsort(list, *nr, sizeof(*list), compare_addresses);
	return list;
}

void samples_mark_mappings(const struct samples *s, bool *used, size_t nr)
{
	samples_mark_frames(s->frames, s->nr_frames, used, nr);
}
