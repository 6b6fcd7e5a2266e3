/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mappings.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_RESERVE = 4096 }; /* mappings of a process that are reserved for files */

void mappings_release(struct process *p)
{
	free(p->maps);
	free(p->past);
	p->maps = p->past = NULL;
	p->nr_maps = p->maps_alloc = p->nr_past = p->past_alloc = 0;
}

static bool is_there(const struct mapping *m)
{
	return m->to_ns == INT64_MAX;
}

uint64_t mappings_exec_pages(const struct mapping *m)
{
	static long page;

	if (!page)
		page = sysconf(_SC_PAGESIZE);
	return m->writable ? 0 : (m->end - m->start) / (uint64_t)page;
}

/* ---- storage ---- */

static bool is_same_place(const struct mapping *a, const struct mapping *b)
{
	return a->object == b->object && a->start == b->start && a->end == b->end &&
	       a->offset == b->offset;
}

/* Returns the value of mapping NUMBER's member shared. */
static uint32_t share(struct processes *ps, uint32_t number)
{
	const struct mapping *m = &ps->maps[number];
	uint64_t place = hash_pair(hash_pair(m->start, m->end), m->offset);
	bool is_new;

	if (!ps->objects[m->object].elf || !m->pid)
		return number;
	uint32_t *first = table_put(&ps->by_place, m->object, place, &is_new);

	if (is_new || !is_same_place(&ps->maps[*first], m))
		*first = number;
	return *first;
}

bool mappings_new(
	struct processes *ps, const struct process *p, const struct mapping *m, uint32_t *number)
{
	if (ps->nr_free) {
		*number = ps->free[--ps->nr_free];
	} else if (ps->nr_maps < PROCESSES_MAPS_MAX) {
		ALLOC_GROW(ps->maps, ps->nr_maps, ps->maps_alloc);
		*number = (uint32_t)ps->nr_maps++;
	} else {
		ps->left_out++;
		return false;
	}
	ps->maps[*number] = *m;
	ps->maps[*number].pid = p->pid;
	ps->maps[*number].shared = share(ps, *number);
	ps->nr_added++;
	return true;
}

void mappings_drop(struct processes *ps, uint32_t number)
{
	ps->maps[number] = (struct mapping){0};
	ALLOC_GROW(ps->free, ps->nr_free, ps->free_alloc);
	ps->free[ps->nr_free++] = number;
}

bool mappings_have_room(struct processes *ps, const struct mapping *m, size_t nr)
{
	bool is_file = ps->objects[m->object].path[0] == '/';

	if (nr < (size_t)(is_file ? PROCESS_MAPS_MAX : PROCESS_MAPS_MAX - FILES_RESERVE))
		return true;
	ps->left_out++;
	return false;
}

/* ---- current mappings ---- */

static struct mapping *current(const struct processes *ps, const struct process *p, size_t i)
{
	return &ps->maps[p->maps[i]];
}

static struct mapping *past(const struct processes *ps, const struct process *p, size_t i)
{
	return &ps->maps[p->past[i]];
}

/* Returns the first current mapping that ends after ADDRESS, or nr_maps if there is none. */
static size_t first_after(const struct processes *ps, const struct process *p, uint64_t address)
{
	size_t low = 0, high = p->nr_maps;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (current(ps, p, mid)->end > address)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static bool same_mapping(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->object == b->object && a->writable == b->writable;
}

int64_t mappings_find_same(
	const struct processes *ps, const struct process *p, const struct mapping *m)
{
	size_t i = first_after(ps, p, m->start);

	if (i == p->nr_maps || !is_there(current(ps, p, i)) || !same_mapping(current(ps, p, i), m))
		return -1;
	return p->maps[i];
}

void process_mark_changed(struct processes *ps, struct process *p)
{
	p->changes++;
	if (p->is_changed)
		return;
	p->is_changed = true;
	ALLOC_GROW(ps->changed, ps->nr_changed, ps->changed_alloc);
	ps->changed[ps->nr_changed++] = (uint32_t)(p - ps->list);
}

/* Inserts a past mapping by its end. The oldest ones are dropped if there are too many. */
static void add_past(const struct processes *ps, struct process *p, uint32_t number)
{
	int64_t to_ns = ps->maps[number].to_ns;

	if (p->nr_past == PROCESS_PAST_MAX) {
		p->nr_past -= PROCESS_PAST_MAX / 2;
		memmove(p->past, p->past + PROCESS_PAST_MAX / 2, p->nr_past * sizeof(*p->past));
	}
	ALLOC_GROW(p->past, p->nr_past, p->past_alloc);
	size_t i = p->nr_past++;

	for (; i && past(ps, p, i - 1)->to_ns > to_ns; i--)
		p->past[i] = p->past[i - 1];
	p->past[i] = number;
}

static void end_current(struct processes *ps, struct process *p, uint32_t number, int64_t time_ns)
{
	struct mapping *m = &ps->maps[number];

	m->to_ns = time_ns > m->from_ns ? time_ns : m->from_ns;
	p->exec_pages -= mappings_exec_pages(m);
	add_past(ps, p, number);
	process_mark_changed(ps, p);
}

/* Inserts a mapping as current mapping I. */
static void insert(struct processes *ps, struct process *p, size_t i, const struct mapping *m)
{
	uint32_t number;

	if (mappings_have_room(ps, m, p->nr_maps) && mappings_new(ps, p, m, &number)) {
		ALLOC_GROW(p->maps, p->nr_maps, p->maps_alloc);
		memmove(p->maps + i + 1, p->maps + i, (p->nr_maps - i) * sizeof(*p->maps));
		p->maps[i] = number;
		p->nr_maps++;
	}
	p->exec_pages += mappings_exec_pages(m); /* the kernel counts them all */
	process_mark_changed(ps, p);
}

void mappings_replace(
	struct processes *ps, struct process *p, uint32_t *numbers, size_t nr, int64_t time_ns)
{
	uint32_t *old = p->maps;
	size_t nr_old = p->nr_maps, kept = 0, i = 0;

	p->maps = numbers;
	p->nr_maps = p->maps_alloc = nr;
	for (size_t k = 0; k < nr_old; k++) {
		uint64_t start = ps->maps[old[k]].start;

		while (i < nr && ps->maps[numbers[i]].start < start)
			i++;
		if (i < nr && numbers[i] == old[k])
			kept++;
		else
			end_current(ps, p, old[k], time_ns);
	}
	free(old);
	if (kept < nr)
		process_mark_changed(ps, p);
	p->exec_pages = 0;
	for (i = 0; i < nr; i++)
		p->exec_pages += mappings_exec_pages(&ps->maps[numbers[i]]);
}

/* ---- unmapping ---- */

static bool held_at(const struct mapping *m, int64_t time_ns)
{
	return m->from_ns <= time_ns && time_ns < m->to_ns;
}

/* Files have offsets. Anonymous memory has one in events, but not in /proc. */
static bool has_offset(const struct processes *ps, const struct mapping *m)
{
	return ps->objects[m->object].path[0] == '/';
}

/*
 * Adds the parts of M that remain if [START, END) is unmapped at TIME_NS. M is not in a list any
 * more.
 */
static void add_rests(struct processes *ps, struct process *p, const struct mapping *m,
	uint64_t start, uint64_t end, int64_t time_ns)
{
	struct mapping rest = *m;

	rest.from_ns = rest.by_ns = time_ns;
	rest.generation = p->generation;
	if (m->start < start) {
		rest.end = start;
		mappings_add(ps, p, &rest);
	}
	if (m->end > end) {
		rest.start = end;
		rest.end = m->end;
		rest.offset = has_offset(ps, m) ? m->offset + (end - m->start) : 0;
		mappings_add(ps, p, &rest);
	}
}

/* Removes past mapping I from the list. */
static void remove_past(struct process *p, size_t i)
{
	memmove(p->past + i, p->past + i + 1, (--p->nr_past - i) * sizeof(*p->past));
}

static void unmap_past(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns)
{
	uint32_t *hit = NULL;
	size_t nr = 0, alloc = 0;

	for (size_t i = p->nr_past; i-- && past(ps, p, i)->to_ns > time_ns;) {
		const struct mapping *m = past(ps, p, i);

		if (m->end <= start || m->start >= end || m->from_ns > time_ns)
			continue;
		ALLOC_GROW(hit, nr, alloc);
		hit[nr++] = p->past[i];
		remove_past(p, i);
	}
	for (size_t i = 0; i < nr; i++) {
		struct mapping m = ps->maps[hit[i]];

		ps->maps[hit[i]].to_ns = time_ns;
		add_past(ps, p, hit[i]);
		add_rests(ps, p, &m, start, end, time_ns);
	}
	free(hit);
}

static void unmap_current(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns)
{
	size_t first = first_after(ps, p, start), last = first;
	struct mapping low, high;

	while (last < p->nr_maps && current(ps, p, last)->start < end)
		last++;
	if (first == last)
		return;
	low = *current(ps, p, first);
	high = *current(ps, p, last - 1);
	for (size_t i = first; i < last; i++)
		end_current(ps, p, p->maps[i], time_ns);
	memmove(p->maps + first, p->maps + last, (p->nr_maps - last) * sizeof(*p->maps));
	p->nr_maps -= last - first;
	if (last - first == 1) {
		add_rests(ps, p, &low, start, end, time_ns);
	} else {
		add_rests(ps, p, &low, start, UINT64_MAX, time_ns);
		add_rests(ps, p, &high, 0, end, time_ns);
	}
}

void mappings_add(struct processes *ps, struct process *p, const struct mapping *m)
{
	uint32_t number;

	if (is_there(m)) {
		unmap_current(ps, p, m->start, m->end, m->from_ns);
		insert(ps, p, first_after(ps, p, m->start), m);
	} else if (mappings_new(ps, p, m, &number)) {
		add_past(ps, p, number);
	}
}

void mappings_unmap(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns)
{
	unmap_past(ps, p, start, end, time_ns);
	if (time_ns >= p->scanned_ns)
		unmap_current(ps, p, start, end, time_ns);
}

void mappings_end(struct processes *ps, struct process *p, int64_t time_ns)
{
	for (size_t i = 0; i < p->nr_maps; i++)
		if (is_there(current(ps, p, i)))
			current(ps, p, i)->to_ns = time_ns;
	p->changes++;
}

/* ---- lookups ---- */

static bool holds(const struct mapping *m, uint64_t address)
{
	return m->start <= address && address < m->end;
}

/* Finds a mapping in the current list. It may have ended with the process. */
static const struct mapping *find_current(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	size_t i = first_after(ps, p, address);

	return i < p->nr_maps && holds(current(ps, p, i), address) ? current(ps, p, i) : NULL;
}

const struct mapping *process_find(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	const struct mapping *found = find_current(ps, p, address);

	for (size_t i = p->nr_past; !found && i--;)
		if (holds(past(ps, p, i), address))
			found = past(ps, p, i);
	return found;
}

/* Returns true if A is a better guess than B for the mapping at TIME_NS, if both are possible. */
static bool is_likelier(const struct mapping *a, const struct mapping *b, int64_t time_ns)
{
	bool sure_a = a->by_ns <= time_ns, sure_b = b->by_ns <= time_ns;

	return sure_a == sure_b ? a->generation > b->generation : sure_a;
}

const struct mapping *process_find_at(
	const struct processes *ps, const struct process *p, uint64_t address, int64_t time_ns)
{
	const struct mapping *found = find_current(ps, p, address);

	if (p->gone && time_ns >= p->gone_ns)
		time_ns = p->gone_ns - 1;
	if (found && !held_at(found, time_ns))
		found = NULL;
	for (size_t i = p->nr_past; i-- && past(ps, p, i)->to_ns > time_ns;) {
		const struct mapping *m = past(ps, p, i);

		if (holds(m, address) && held_at(m, time_ns) &&
			(!found || is_likelier(m, found, time_ns)))
			found = m;
	}
	return found;
}

/* ---- unreferenced mappings ---- */

static size_t drop_old(const struct processes *ps, uint32_t *list, size_t nr, int64_t time_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++)
		if (ps->maps[list[i]].to_ns >= time_ns)
			list[kept++] = list[i];
	return kept;
}

void mappings_forget(const struct processes *ps, struct process *p, int64_t time_ns)
{
	p->nr_maps = drop_old(ps, p->maps, p->nr_maps, time_ns);
	p->nr_past = drop_old(ps, p->past, p->nr_past, time_ns);
}

static bool is_kept(const struct mapping *m, bool used, int64_t time_ns)
{
	return m->end && (used || m->to_ns >= time_ns);
}

/* Makes by_place again, for the remaining mappings only. Otherwise it would grow with each new one.
 */
static void make_by_place(struct processes *ps)
{
	table_release(&ps->by_place);
	table_init(&ps->by_place);
	for (size_t i = 0; i < ps->nr_maps; i++)
		if (ps->maps[i].end && ps->maps[i].shared == i)
			share(ps, (uint32_t)i);
}

void mappings_sweep(struct processes *ps, const bool *used, int64_t time_ns)
{
	bool *shared = xcalloc(ps->nr_maps + 1, sizeof(*shared));

	for (size_t i = 0; i < ps->nr_maps; i++)
		if (is_kept(&ps->maps[i], used[i], time_ns))
			shared[ps->maps[i].shared] = true;
	for (size_t i = 0; i < ps->nr_maps; i++)
		if (ps->maps[i].end && !is_kept(&ps->maps[i], used[i], time_ns) && !shared[i])
			mappings_drop(ps, (uint32_t)i);
	free(shared);
	make_by_place(ps);
}
