/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ends of all ranges divide the addresses of a process into pieces. From the latest range to
 * the earliest, each takes the pieces that no other range has taken. The next free piece is found
 * by links over the taken ones, which become shorter with each search.
 */
#include "ranges_left.h"
#include "engine/bpf/drain.h"
#include "lib/search.h"
#include "lib/util.h"
#include "mmap.h"

#include <stdlib.h>

/* A range of a process. */
struct timed_range {
	uint32_t tgid, span; /* index of the span */
	uint64_t start, end;
	uint64_t since;
	bool is_mapped;
};

/* Orders ranges by process, the latest one first. */
static int compare_ranges(const void *a, const void *b)
{
	const struct timed_range *x = a, *y = b;

	if (x->tgid != y->tgid)
		return compare_u64(x->tgid, y->tgid);
	if (x->since != y->since)
		return compare_u64(y->since, x->since);
	return compare_u64(x->start, y->start);
}

static int compare_addresses(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The pieces of a process. */
struct pieces {
	uint64_t *bounds; /* the first addresses of pieces, and the last piece's end */
	uint32_t *next;   /* a piece from which on the next free one is looked for */
	size_t nr;        /* bounds */
};

static void pieces_init(struct pieces *p, const struct timed_range *list, size_t nr)
{
	p->bounds = xcalloc(2 * nr, sizeof(*p->bounds));
	p->next = xcalloc(2 * nr, sizeof(*p->next));
	for (size_t i = 0; i < nr; i++) {
		p->bounds[2 * i] = list[i].start;
		p->bounds[2 * i + 1] = list[i].end;
	}
	qsort(p->bounds, 2 * nr, sizeof(*p->bounds), compare_addresses);
	p->nr = 0;
	for (size_t i = 0; i < 2 * nr; i++)
		if (!p->nr || p->bounds[p->nr - 1] != p->bounds[i])
			p->bounds[p->nr++] = p->bounds[i];
	for (uint32_t i = 0; i < p->nr; i++)
		p->next[i] = i;
}

static void pieces_release(struct pieces *p)
{
	free(p->bounds);
	free(p->next);
}

static uint32_t piece_at(const struct pieces *p, uint64_t address)
{
	const uint64_t *at =
		bsearch(&address, p->bounds, p->nr, sizeof(*p->bounds), compare_addresses);

	return (uint32_t)(at - p->bounds);
}

/* Returns the first free piece from piece I on, which may be the end of the last one. */
static uint32_t next_free(struct pieces *p, uint32_t i)
{
	while (p->next[i] != i) {
		p->next[i] = p->next[p->next[i]];
		i = p->next[i];
	}
	return i;
}

/* Takes the free pieces of a range. Returns their bytes. */
static uint64_t take(struct pieces *p, const struct timed_range *range)
{
	uint32_t end = piece_at(p, range->end);
	uint64_t bytes = 0;

	for (uint32_t i = next_free(p, piece_at(p, range->start)); i < end; i = next_free(p, i)) {
		bytes += p->bounds[i + 1] - p->bounds[i];
		p->next[i] = i + 1;
	}
	return bytes;
}

/* Does this for the NR ranges of one process. */
static void take_all(const struct timed_range *list, size_t nr, uint64_t *left)
{
	struct pieces p;

	pieces_init(&p, list, nr);
	for (size_t i = 0; i < nr; i++) {
		uint64_t bytes = take(&p, &list[i]);

		left[list[i].span] = list[i].is_mapped ? bytes : 0;
	}
	pieces_release(&p);
}

void ranges_left(const struct drain_spans *spans, uint64_t *left)
{
	struct timed_range *list = xcalloc(spans->nr + 1, sizeof(*list));

	for (uint32_t i = 0; i < spans->nr; i++) {
		const struct span_key *key = &spans->keys[i];
		const struct span *span = &spans->values[i];

		list[i] = (struct timed_range){key->tgid, i, key->id,
			key->id + span->word[RANGE_LENGTH], span->since,
			!(key->part & RANGE_UNMAPPED)};
	}
	qsort(list, spans->nr, sizeof(*list), compare_ranges);
	for (size_t i = 0, nr; i < spans->nr; i += nr) {
		for (nr = 1; i + nr < spans->nr && list[i + nr].tgid == list[i].tgid;)
			nr++;
		take_all(&list[i], nr, left);
	}
	free(list);
}
