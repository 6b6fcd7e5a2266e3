/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls.h"
#include "lib/util.h"

#include <stdlib.h>

/* Returns for each frame whether its function matches FN; false for frame 0. */
static bool *matching_frames(const struct profile *p, const struct function_match *fn)
{
	bool *is_fn = xcalloc(p->nr_frames, sizeof(*is_fn));

	for (uint32_t i = 1; i < p->nr_frames; i++)
		is_fn[i] = function_match_frame(fn, p, i);
	return is_fn;
}

static struct report_entry add_up_fn(const struct profile *p, const bool *is_fn)
{
	uint32_t *number_of = xcalloc(p->nr_nodes, sizeof(*number_of));
	struct report_entry of = {0};

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		number_of[i] = is_fn[p->nodes[i].frame] ? 0 : NO_ENTRY;
	entries_add_up(&of, 1, number_of, p);
	free(number_of);
	return of;
}

/*
 * Adds up CALLS. NUMBER_OF maps every node to the function that it counts for, or to NO_ENTRY if
 * it is not such a call.
 */
static void add_up_calls(struct report_entries *calls, const uint32_t *number_of)
{
	entries_add_up(calls->list, calls->nr, number_of, calls->p);
	for (uint32_t i = 0; i < calls->nr; i++)
		calls->list[i].self = 0;
	entries_sort(calls);
}

void calls_init_callers(struct report_entries *calls, struct report_entry *of,
	const struct profile *p, const struct function_match *fn, const struct rules *rules)
{
	uint32_t *number_of = entries_begin(calls, p, rules);
	bool *is_fn = matching_frames(p, fn);

	calls->list = xrealloc(calls->list, calls->nr + 1, sizeof(*calls->list));
	calls->list[calls->nr] = (struct report_entry){0};
	number_of[0] = calls->nr++;
	for (uint32_t i = p->nr_nodes - 1; i; i--) /* a parent's number is below its children's */
		number_of[i] = is_fn[p->nodes[i].frame] ? number_of[p->nodes[i].parent] : NO_ENTRY;
	*of = add_up_fn(p, is_fn);
	add_up_calls(calls, number_of);
	free(is_fn);
	free(number_of);
}

void calls_init_callees(struct report_entries *calls, struct report_entry *of,
	const struct profile *p, const struct function_match *fn, const struct rules *rules)
{
	uint32_t *number_of = entries_begin(calls, p, rules);
	bool *is_fn = matching_frames(p, fn);

	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (!is_fn[p->nodes[p->nodes[i].parent].frame])
			number_of[i] = NO_ENTRY;
	*of = add_up_fn(p, is_fn);
	add_up_calls(calls, number_of);
	free(is_fn);
	free(number_of);
}
