/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_tree.h"
#include "lib/util.h"
#include "text_format.h"

#include <math.h>
#include <stdlib.h>

void json_tree_release(struct json_tree *t)
{
	free(t->nodes);
	t->nodes = NULL;
	t->nr = t->alloc = 0;
}

bool json_tree_push(struct json_tree *t, uint32_t node)
{
	const struct profile *p = t->in->p;
	bool left = t->expansion.left;

	for (size_t steps = 0; node < t->nr && left; node = t->nodes[node].parent) {
		uint32_t entry = t->nodes[node].entry;

		if (steps++ == t->nr)
			return false;
		if (entry == JSON_NONE)
			continue;
		stacks_push(t->stacks, entry);
		left = expansion_take(
			&t->expansion, strpool_len(&p->names, p->frames[entry & ENTRY_FRAME].name));
	}
	if (!left)
		stacks_push(t->stacks, stacks_note(t->stacks, "[truncated: too many frames]"));
	return true;
}

void json_tree_add(struct json_tree *t, uint32_t node, uint32_t task, uint64_t weight)
{
	if (node < t->nr && json_tree_push(t, node)) {
		stacks_add(t->stacks, task, weight);
		return;
	}
	stacks_forget(t->stacks);
	t->wrong++;
}

int json_check(const struct json_reader *j, struct strbuf *notes)
{
	if (j->deep)
		return fail(notes, "it is JSON, but nested deeper than %d\n", JSON_DEPTH_MAX);
	return j->bad ? fail(notes, "it is JSON, but damaged or not whole\n") : 0;
}

void json_column_read(struct json_column *column, struct json_reader *j)
{
	struct json_number number;

	if (!json_begin(j, '['))
		return;
	while (json_next(j)) {
		bool good = json_read_number(j, &number);

		ALLOC_GROW(column->list, column->nr, column->alloc);
		column->list[column->nr++] = good ? number.value : NAN;
	}
}

uint32_t json_column_index(const struct json_column *column, size_t i, size_t limit)
{
	double value = i < column->nr ? column->list[i] : NAN;

	return value >= 0 && value < (double)limit && value < (double)JSON_NONE ? (uint32_t)value
										: JSON_NONE;
}
