/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "weighing.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>

/*
 * Maximum number of frames to look at. A hostile recording may have long stacks in many
 * combinations.
 */
#define STEPS_MAX (1ull << 31)

void weighing_init(struct weighing *t, const struct recording *rec)
{
	*t = (struct weighing){.first = xcalloc(rec->nr_frames, sizeof(*t->first)), .nr_links = 1};
	t->links_alloc = 16;
	t->links = xcalloc(t->links_alloc, sizeof(*t->links));
}

void weighing_release(struct weighing *t)
{
	free(t->list);
	free(t->first);
	free(t->links);
	*t = (struct weighing){0};
}

uint32_t weighing_add(struct weighing *t)
{
	ALLOC_GROW(t->list, t->nr, t->alloc);
	t->list[t->nr] = (struct counter){0};
	return t->nr++;
}

void weighing_link(struct weighing *t, uint32_t frame, uint32_t counter)
{
	ALLOC_GROW(t->links, t->nr_links, t->links_alloc);
	t->links[t->nr_links] = (struct counter_link){counter, t->first[frame]};
	t->first[frame] = t->nr_links++;
}

/* The stacks of a row, and the sum of all rows that have the same stacks. */
struct stacks_sum {
	const uint32_t *stacks;
	uint64_t sum;
};

static void add_frame(struct weighing *t, uint32_t frame, const struct stacks_sum *s, size_t number)
{
	for (uint32_t i = t->first[frame]; i; i = t->links[i].next) {
		struct counter *c = &t->list[t->links[i].counter];

		if (c->row == number)
			continue;
		c->row = number;
		add_capped(&c->total, s->sum);
	}
}

static void add_leaf(struct weighing *t, uint32_t frame, const struct stacks_sum *s, size_t number)
{
	for (uint32_t i = t->first[frame]; i; i = t->links[i].next) {
		struct counter *c = &t->list[t->links[i].counter];

		if (c->self_row == number)
			continue;
		c->self_row = number;
		add_capped(&c->self, s->sum);
	}
}

/* Adds the stacks of a row in the order in which they are in the call tree. */
static void add_stacks(
	struct weighing *t, const struct recording *rec, const struct stacks_sum *s, size_t number)
{
	const struct rec_stack *last = NULL;

	for (size_t k = 0; k < ARRAY_LEN(stack_order); k++)
		for (int i = 0; i < ROW_STACKS && s->stacks[i] != NO_STACK; i++) {
			const struct rec_stack *stack = &rec->stacks[s->stacks[i]];

			if (stack->kind != stack_order[k] || !stack->nr)
				continue;
			last = stack;
			for (uint32_t f = 0; f < stack->nr && t->left; f++, t->left--)
				add_frame(t, rec->frame_refs[stack->first + f], s, number);
		}
	if (last)
		add_leaf(t, rec->frame_refs[last->first], s, number);
}

/* Sums up the rows that VIEW shows by their stacks. The caller frees the list. */
static struct stacks_sum *sum_up(struct weighing *t, const struct recording *rec,
	const struct recording_view *view, size_t *nr)
{
	struct stacks_sum *list = NULL;
	struct table by_stacks;
	size_t alloc = 0;

	*nr = 0;
	table_init(&by_stacks);
	for (size_t i = 0; i < rec->nr_rows; i++) {
		const struct rec_row *row = &rec->rows[i];
		const uint32_t *s = row->stacks;
		bool is_new;

		if (!recording_shows(rec, view, row))
			continue;
		uint32_t *at = table_put(&by_stacks, (uint64_t)s[0] << 32 | s[1],
			(uint64_t)s[2] << 32 | s[3], &is_new);

		if (is_new) {
			*at = (uint32_t)*nr;
			ALLOC_GROW(list, *nr, alloc);
			list[(*nr)++] = (struct stacks_sum){.stacks = s};
		}
		add_capped(&list[*at].sum, row->sum);
		add_capped(&t->weight, row->sum);
	}
	table_release(&by_stacks);
	return list;
}

bool weighing_sum(
	struct weighing *t, const struct recording *rec, const struct recording_view *view)
{
	size_t nr;
	struct stacks_sum *list = sum_up(t, rec, view, &nr);

	t->left = STEPS_MAX;
	for (size_t i = 0; i < nr; i++)
		add_stacks(t, rec, &list[i], i + 1);
	free(list);
	return t->left;
}
