/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Series: counts and sums of rows by slice of time. Recordings may have millions of them, so a
 * series is kept as differences, in a few bytes for each slice that has a count.
 */
#ifndef MODEL_SERIES_H
#define MODEL_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct series_item {
	uint32_t slice; /* from 1 */
	uint32_t more;  /* the same in each of this many following slices */
	uint64_t count, sum;
};

enum { SERIES_CHUNK = 28 };

struct series_pool {
	struct series {
		struct series_item last; /* not yet encoded; its slice is 0 if there is none */
		uint32_t before;         /* last slice of the item encoded before it, or 0 */
		uint32_t tail;           /* last chunk, or 0 without one */
	} * list;                        /* from 1 */
	size_t nr, alloc;
	struct series_chunk {
		uint32_t next; /* of the last chunk: the first one */
		uint8_t bytes[SERIES_CHUNK - 1];
		uint8_t used;
	} * chunks; /* from 1 */
	size_t nr_chunks, chunks_alloc;
};

void series_init(struct series_pool *p);
void series_release(struct series_pool *p);

/*
 * Adds ITEM, whose slices may come in any order, to series NUMBER, or to a new one if that is 0.
 * Returns the number of the series.
 */
uint32_t series_add(struct series_pool *p, uint32_t number, const struct series_item *item);

/* Adds all of series OTHER in FROM, another pool, in the same way. OTHER may be 0. */
uint32_t series_add_all(
	struct series_pool *p, uint32_t number, const struct series_pool *from, uint32_t other);

/* Reads a series in the order in which it was added. */
struct series_reader {
	const struct series_pool *pool;
	uint32_t number, chunk, at;
	bool ended;
	struct series_item item;
};

/* Begins to read series NUMBER, which may be 0 for an empty one. */
struct series_reader series_read(const struct series_pool *p, uint32_t number);
/* Sets R->item to the next item. Returns false after the last one. */
bool series_next(struct series_reader *r);

/*
 * Returns series NUMBER as *NR items with different slices in ascending order, each of one slice.
 * The caller frees the list.
 */
struct series_item *series_list(const struct series_pool *p, uint32_t number, size_t *nr);

#endif
