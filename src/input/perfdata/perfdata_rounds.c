/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_rounds.h"
#include "lib/limits/memory.h"
#include "lib/util.h"

#include <stdlib.h>

enum { WAITING_MAX = 256 << 20 /* bytes */ };

void perfdata_rounds_init(struct perfdata_rounds *r,
	void (*deliver)(void *arg, const uint64_t *record, uint64_t time), void *arg)
{
	*r = (struct perfdata_rounds){.deliver = deliver, .arg = arg};
}

void perfdata_rounds_release(struct perfdata_rounds *r)
{
	free(r->words);
	free(r->waiting);
}

static int compare(const void *a, const void *b)
{
	const struct perfdata_waiting *x = a, *y = b;

	return x->time == y->time ? compare_u64(x->at, y->at) : compare_u64(x->time, y->time);
}

static size_t words_of(const uint64_t *record)
{
	uint16_t size; /* of struct perf_event_header */

	memcpy(&size, (const unsigned char *)record + 6, sizeof(size));
	return (size + 7u) / 8;
}

static int compare_places(const void *a, const void *b)
{
	const struct perfdata_waiting *x = a, *y = b;

	return compare_u64(x->at, y->at);
}

/* Moves the records that still wait to the begin. */
static void compact(struct perfdata_rounds *r)
{
	size_t to = 0;

	qsort(r->waiting, r->nr, sizeof(*r->waiting), compare_places);
	for (size_t i = 0; i < r->nr; i++) {
		size_t n = words_of(r->words + r->waiting[i].at);

		memmove(r->words + to, r->words + r->waiting[i].at, n * 8);
		r->waiting[i].at = to;
		to += n;
	}
	r->nr_words = to;
}

/* Delivers the records up to the time UNTIL. */
static void deliver(struct perfdata_rounds *r, uint64_t until)
{
	size_t nr = 0;

	if (r->nr)
		qsort(r->waiting, r->nr, sizeof(*r->waiting), compare);
	for (; nr < r->nr && r->waiting[nr].time <= until; nr++)
		r->deliver(r->arg, r->words + r->waiting[nr].at, r->waiting[nr].time);
	r->nr -= nr;
	if (!nr)
		return;
	memmove(r->waiting, r->waiting + nr, r->nr * sizeof(*r->waiting));
	compact(r);
}

void perfdata_rounds_add(
	struct perfdata_rounds *r, const unsigned char *record, size_t size, uint64_t time)
{
	size_t n = (size + 7) / 8;

	if ((r->nr_words + n) * 8 > memory_share(WAITING_MAX, 4) && r->nr) {
		uint64_t first = r->waiting[0].time;

		for (size_t i = 1; i < r->nr; i++)
			first = r->waiting[i].time < first ? r->waiting[i].time : first;
		deliver(r, first + (r->latest - first) / 2);
	}
	while (r->nr_words + n > r->words_alloc) {
		r->words_alloc = r->words_alloc ? 2 * r->words_alloc : 1 << 16;
		r->words = xrealloc(r->words, r->words_alloc, sizeof(*r->words));
	}
	r->words[r->nr_words + n - 1] = 0;
	memcpy(r->words + r->nr_words, record, size);
	ALLOC_GROW(r->waiting, r->nr, r->alloc);
	r->waiting[r->nr++] = (struct perfdata_waiting){time, r->nr_words};
	r->nr_words += n;
	r->latest = time > r->latest ? time : r->latest;
}

void perfdata_rounds_finish(struct perfdata_rounds *r)
{
	deliver(r, r->complete);
	r->complete = r->latest;
}

void perfdata_rounds_flush(struct perfdata_rounds *r)
{
	deliver(r, UINT64_MAX);
}
