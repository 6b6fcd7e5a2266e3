/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_batch.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum {
	WEIGHT_WORDS = 2,
	FEW = 12,  /* up to this many items are sorted by insertion */
	AHEAD = 8, /* a stack is prefetched while this many stacks before it are added */
};

/* Returns the frames at DEPTH and DEPTH + 1, or 0 past the end of the stack. */
static uint64_t key_at(const struct stack_batch *b, const struct stack_item *item, size_t depth)
{
	const uint32_t *frame = &b->words[item->frames + depth];

	return frame[0] ? (uint64_t)frame[0] << 32 | frame[1] : 0;
}

/* Whether a stack may go on after the two frames of a key. */
static bool goes_on(uint64_t key)
{
	return (uint32_t)key != 0;
}

/* Whether X is before Y. The stacks are equal up to DEPTH, and their keys are the frames there. */
static bool is_before(const struct stack_batch *b, const struct stack_item *x,
	const struct stack_item *y, size_t depth)
{
	uint64_t kx = x->key, ky = y->key;

	while (kx == ky && goes_on(kx)) {
		depth += 2;
		kx = key_at(b, x, depth);
		ky = key_at(b, y, depth);
	}
	return kx < ky;
}

static void sort_few(const struct stack_batch *b, struct stack_item *items, size_t n, size_t depth)
{
	for (size_t i = 1; i < n; i++) {
		struct stack_item item = items[i];
		size_t to = i;

		for (; to && is_before(b, &item, &items[to - 1], depth); to--)
			items[to] = items[to - 1];
		items[to] = item;
	}
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

/*
 * Returns the median of medians of items chosen at random, so that no input can be made to be slow.
 */
static uint64_t choose_pivot(const struct stack_item *items, size_t n)
{
	uint64_t keys[9];

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		keys[i] = items[hash_pair(n, i) % n].key;
	return median(median(keys[0], keys[1], keys[2]), median(keys[3], keys[4], keys[5]),
		median(keys[6], keys[7], keys[8]));
}

static void swap(struct stack_item *a, struct stack_item *b)
{
	struct stack_item item = *a;

	*a = *b;
	*b = item;
}

/* A part of the items whose stacks are equal up to DEPTH and whose keys are the frames there. */
struct item_range {
	size_t start, end, depth;
};

/*
 * Partitions the items by a pivot. Items before *LESS are smaller, items from *MORE on are larger.
 */
static void partition(
	struct stack_item *items, const struct item_range *r, size_t *less, size_t *more)
{
	uint64_t pivot = choose_pivot(items + r->start, r->end - r->start);
	size_t i = r->start, low = r->start, high = r->end;

	while (i < high) {
		if (items[i].key < pivot)
			swap(&items[i++], &items[low++]);
		else if (items[i].key > pivot)
			swap(&items[i], &items[--high]);
		else
			i++;
	}
	*less = low;
	*more = high;
}

/* Returns the range of items of the same key, to be sorted by their next frames. */
static struct item_range next_frames(struct stack_batch *b, size_t start, size_t end, size_t depth)
{
	if (end - start < 2 || !goes_on(b->items[start].key))
		return (struct item_range){start, start, depth};
	for (size_t i = start; i < end; i++)
		b->items[i].key = key_at(b, &b->items[i], depth + 2);
	return (struct item_range){start, end, depth + 2};
}

static void order_by_size(struct item_range *a, struct item_range *b)
{
	struct item_range c = *a;

	if (a->end - a->start <= b->end - b->start)
		return;
	*a = *b;
	*b = c;
}

/* Three-way quicksort. The largest part is sorted by the loop, so that it needs no call. */
static void sort(struct stack_batch *b, struct item_range r)
{
	while (r.end - r.start > FEW) {
		size_t less, more;

		partition(b->items, &r, &less, &more);
		struct item_range before = {r.start, less, r.depth},
				  behind = {more, r.end, r.depth};

		r = next_frames(b, less, more, r.depth);
		order_by_size(&before, &behind);
		order_by_size(&behind, &r);
		order_by_size(&before, &behind);
		sort(b, before);
		sort(b, behind);
	}
	sort_few(b, b->items + r.start, r.end - r.start, r.depth);
}

/* Fetches most of a stack of usual depth from memory. */
static void prefetch(const uint32_t *frames)
{
	__builtin_prefetch(frames);
	__builtin_prefetch(frames + 16);
}

/* The nodes of the previous stack. The next stack shares some of them. */
struct node_chain {
	uint32_t *nodes;
	size_t alloc;
};

static void add_stack(struct profile *p, struct node_chain *chain, const uint32_t *before,
	const uint32_t *frames, uint64_t weight)
{
	uint32_t node;
	size_t n = 0;

	while (frames[n] && frames[n] == before[n])
		n++;
	node = n ? chain->nodes[n - 1] : 0;
	for (; frames[n]; n++) {
		node = profile_child(p, node, frames[n]);
		ALLOC_GROW(chain->nodes, n, chain->alloc);
		chain->nodes[n] = node;
	}
	add_capped(&p->nodes[node].self, weight);
}

uint32_t *stack_batch_add(struct stack_batch *b, size_t n, uint64_t weight)
{
	size_t at = b->nr_words + WEIGHT_WORDS;

	while (at + n + 1 > b->words_alloc) {
		b->words_alloc = b->words_alloc ? b->words_alloc * 2 : 1024;
		b->words = xrealloc(b->words, b->words_alloc, sizeof(*b->words));
	}
	memcpy(b->words + b->nr_words, &weight, sizeof(weight));
	b->words[at + n] = 0;
	ALLOC_GROW(b->items, b->nr, b->alloc);
	b->items[b->nr++].frames = (uint32_t)at;
	b->nr_words = at + n + 1;
	return b->words + at;
}

void stack_batch_flush(struct stack_batch *b, struct profile *p)
{
	static const uint32_t none[] = {0};
	const uint32_t *before = none;
	struct node_chain chain = {0};

	for (size_t i = 0; i < b->nr; i++)
		b->items[i].key = key_at(b, &b->items[i], 0);
	if (b->nr)
		sort(b, (struct item_range){0, b->nr, 0});
	for (size_t i = 0; i < b->nr; i++) {
		const uint32_t *frames = &b->words[b->items[i].frames];
		uint64_t weight;

		if (i + AHEAD < b->nr)
			prefetch(&b->words[b->items[i + AHEAD].frames]);
		memcpy(&weight, frames - WEIGHT_WORDS, sizeof(weight));
		add_stack(p, &chain, before, frames, weight);
		before = frames;
	}
	free(chain.nodes);
	b->nr = b->nr_words = 0;
}

void stack_batch_release(struct stack_batch *b)
{
	free(b->words);
	free(b->items);
	*b = (struct stack_batch){0};
}
