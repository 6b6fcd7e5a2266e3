/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The encoding of an item: a number with the difference between its slice and the last slice of the
 * item before, which may be negative, and the flags below; then the numbers that the flags
 * announce. Each number has seven bits in a byte, the lowest first, and the highest bit set but in
 * its last byte (LEB128).
 */
#include "series.h"
#include "lib/util.h"

#include <stdlib.h>

enum { HAS_MORE = 1, HAS_COUNT = 2, HAS_SUM = 4, FLAG_BITS = 3 };

void series_init(struct series_pool *p)
{
	*p = (struct series_pool){.nr = 1, .nr_chunks = 1};
}

void series_release(struct series_pool *p)
{
	free(p->list);
	free(p->chunks);
	*p = (struct series_pool){0};
}

/* ---- writing ---- */

/* Adds a chunk behind the last one of S. */
static void add_chunk(struct series_pool *p, struct series *s)
{
	ALLOC_GROW(p->chunks, p->nr_chunks, p->chunks_alloc);
	uint32_t new = (uint32_t)p->nr_chunks++;

	p->chunks[new] = (struct series_chunk){.next = new};
	if (s->tail) {
		p->chunks[new].next = p->chunks[s->tail].next;
		p->chunks[s->tail].next = new;
	}
	s->tail = new;
}

static void put_byte(struct series_pool *p, struct series *s, uint8_t byte)
{
	if (!s->tail || p->chunks[s->tail].used == SERIES_CHUNK - 1)
		add_chunk(p, s);
	struct series_chunk *chunk = &p->chunks[s->tail];

	chunk->bytes[chunk->used++] = byte;
}

static void put_number(struct series_pool *p, struct series *s, uint64_t number)
{
	for (; number > 127; number >>= 7)
		put_byte(p, s, (uint8_t)(number | 128));
	put_byte(p, s, (uint8_t)number);
}

/* Returns a difference as a number that is small if the difference is near 0. */
static uint64_t fold_sign(int64_t n)
{
	return (uint64_t)n << 1 ^ (uint64_t)(n >> 63);
}

static int64_t unfold_sign(uint64_t n)
{
	return (int64_t)(n >> 1) ^ -(int64_t)(n & 1);
}

/* Encodes the last item of S, if there is one. */
static void encode_last(struct series_pool *p, struct series *s)
{
	const struct series_item last = s->last;
	int flags = (last.more ? HAS_MORE : 0) | (last.count != 1 ? HAS_COUNT : 0) |
		    (last.sum != last.count ? HAS_SUM : 0);

	if (!last.slice)
		return;
	put_number(p, s, fold_sign((int64_t)last.slice - s->before) << FLAG_BITS | (uint64_t)flags);
	if (flags & HAS_MORE)
		put_number(p, s, last.more);
	if (flags & HAS_COUNT)
		put_number(p, s, last.count);
	if (flags & HAS_SUM)
		put_number(p, s, last.sum);
	s->before = last.slice + last.more;
}

static bool is_equal(const struct series_item *a, const struct series_item *b)
{
	return a->count == b->count && a->sum == b->sum;
}

/* Adds ITEM, of one slice, to the last item if that ends there. Returns whether it did. */
static bool add_to_last(struct series *s, const struct series_item *item)
{
	struct series_item *last = &s->last;

	if (last->slice != item->slice || last->more || item->more)
		return false;
	add_capped(&last->count, item->count);
	add_capped(&last->sum, item->sum);
	return true;
}

/* Makes the last item of S longer if ITEM is the same in the next slices. */
static bool extend_last(struct series *s, const struct series_item *item)
{
	struct series_item *last = &s->last;

	if (!last->slice || last->slice + last->more + 1 != item->slice || !is_equal(last, item))
		return false;
	last->more += item->more + 1;
	return true;
}

static uint32_t new_series(struct series_pool *p)
{
	if (!p->nr)
		series_init(p);
	if (!p->list)
		p->list = xcalloc(p->alloc = 16, sizeof(*p->list));
	ALLOC_GROW(p->list, p->nr, p->alloc);
	p->list[p->nr] = (struct series){0};
	return (uint32_t)p->nr++;
}

uint32_t series_add(struct series_pool *p, uint32_t number, const struct series_item *item)
{
	if (!number)
		number = new_series(p);
	struct series *s = &p->list[number];

	if (!add_to_last(s, item) && !extend_last(s, item)) {
		encode_last(p, s);
		s->last = *item;
	}
	return number;
}

uint32_t series_add_all(
	struct series_pool *p, uint32_t number, const struct series_pool *from, uint32_t other)
{
	struct series_reader r = series_read(from, other);

	while (series_next(&r))
		number = series_add(p, number, &r.item);
	return number;
}

/* ---- reading ---- */

struct series_reader series_read(const struct series_pool *p, uint32_t number)
{
	struct series_reader r = {.pool = p, .number = number, .ended = !number};

	if (number && p->list[number].tail)
		r.chunk = p->chunks[p->list[number].tail].next;
	return r;
}

static uint8_t get_byte(struct series_reader *r)
{
	const struct series_chunk *chunk = &r->pool->chunks[r->chunk];
	uint8_t byte = chunk->bytes[r->at++];

	if (r->at == chunk->used) {
		r->at = 0;
		r->chunk = r->chunk == r->pool->list[r->number].tail ? 0 : chunk->next;
	}
	return byte;
}

static uint64_t get_number(struct series_reader *r)
{
	uint64_t number = 0;
	uint8_t byte;
	int bits = 0;

	do {
		byte = get_byte(r);
		number |= (uint64_t)(byte & 127) << bits;
		bits += 7;
	} while (byte > 127);
	return number;
}

bool series_next(struct series_reader *r)
{
	struct series_item *item = &r->item;

	if (r->ended)
		return false;
	if (!r->chunk) {
		*item = r->pool->list[r->number].last;
		r->ended = true;
		return item->slice;
	}
	uint64_t head = get_number(r);
	int64_t before = (int64_t)item->slice + item->more;

	item->slice = (uint32_t)(before + unfold_sign(head >> FLAG_BITS));
	item->more = head & HAS_MORE ? (uint32_t)get_number(r) : 0;
	item->count = head & HAS_COUNT ? get_number(r) : 1;
	item->sum = head & HAS_SUM ? get_number(r) : item->count;
	return true;
}

static int compare_slices(const void *va, const void *vb)
{
	const struct series_item *a = va, *b = vb;

	return compare_u64(a->slice, b->slice);
}

/* Merges the items of the same slice, which are neighbours. Returns how many remain. */
static size_t merge_items(struct series_item *list, size_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < nr; i++) {
		if (kept && list[kept - 1].slice == list[i].slice) {
			add_capped(&list[kept - 1].count, list[i].count);
			add_capped(&list[kept - 1].sum, list[i].sum);
		} else {
			list[kept++] = list[i];
		}
	}
	return kept;
}

struct series_item *series_list(const struct series_pool *p, uint32_t number, size_t *nr)
{
	struct series_reader r = series_read(p, number);
	struct series_item *list = NULL;
	size_t alloc = 0;

	for (*nr = 0; series_next(&r);)
		for (uint32_t i = 0; i <= r.item.more; i++) {
			ALLOC_GROW(list, *nr, alloc);
			list[(*nr)++] =
				(struct series_item){r.item.slice + i, 0, r.item.count, r.item.sum};
		}
	if (*nr)
		qsort(list, *nr, sizeof(*list), compare_slices);
	*nr = merge_items(list, *nr);
	return list;
}
