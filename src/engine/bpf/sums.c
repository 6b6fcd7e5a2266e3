/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sums.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

void sums_init(struct sums *s)
{
	*s = (struct sums){0};
	table_init(&s->by_hash);
	table_init(&s->rows_by_hash);
	s->stacks = xcalloc(16, sizeof(*s->stacks));
	s->rows = xcalloc(16, sizeof(*s->rows));
	s->stacks_alloc = s->rows_alloc = 16;
	s->nr_stacks = s->nr_rows = 1;
}

void sums_release(struct sums *s)
{
	free(s->stacks);
	free(s->frames);
	free(s->rows);
	table_release(&s->by_hash);
	table_release(&s->rows_by_hash);
	*s = (struct sums){0};
}

static uint32_t add_stack(struct sums *s, const uint64_t *frames, uint32_t nr)
{
	ALLOC_GROW(s->stacks, s->nr_stacks, s->stacks_alloc);
	while (s->nr_frames + nr > s->frames_alloc) {
		s->frames_alloc = s->frames_alloc ? s->frames_alloc * 2 : 4096;
		s->frames = xrealloc(s->frames, s->frames_alloc, sizeof(*s->frames));
	}
	if (nr)
		memcpy(s->frames + s->nr_frames, frames, nr * sizeof(*frames));
	s->stacks[s->nr_stacks] = (struct sums_stack){.first = s->nr_frames, .nr = nr};
	s->nr_frames += nr;
	return (uint32_t)s->nr_stacks++;
}

uint32_t sums_stack(
	struct sums *s, const uint64_t *frames, uint32_t nr, enum stack_kind kind, unsigned end)
{
	uint64_t hash = hash_text((const char *)frames, nr * sizeof(*frames));
	bool is_new;
	uint32_t *first = table_put(&s->by_hash, hash, (uint64_t)kind << 8 | end, &is_new);

	for (uint32_t i = is_new ? 0 : *first; i; i = s->stacks[i].next) {
		const struct sums_stack *k = &s->stacks[i];

		if (k->nr == nr && !memcmp(s->frames + k->first, frames, nr * sizeof(*frames)))
			return i;
	}
	uint32_t id = add_stack(s, frames, nr);

	s->stacks[id].kind = (uint8_t)kind;
	s->stacks[id].end = (uint8_t)end;
	s->stacks[id].next = is_new ? 0 : *first;
	return *first = id;
}

void sums_add(struct sums *s, const struct row_key *key, uint64_t count, uint64_t sum)
{
	uint64_t hash = hash_text((const char *)key, sizeof(*key));
	bool is_new;
	uint32_t *first = table_put(&s->rows_by_hash, hash, key->tid, &is_new);

	for (uint32_t i = is_new ? 0 : *first; i; i = s->rows[i].next)
		if (!memcmp(&s->rows[i].key, key, sizeof(*key))) {
			add_capped(&s->rows[i].count, count);
			add_capped(&s->rows[i].sum, sum);
			return;
		}
	ALLOC_GROW(s->rows, s->nr_rows, s->rows_alloc);
	s->rows[s->nr_rows] = (struct sums_row){*key, count, sum, is_new ? 0 : *first};
	*first = (uint32_t)s->nr_rows++;
}
