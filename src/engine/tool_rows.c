/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool_rows.h"
#include "engine.h"
#include "frame_table.h"
#include "lib/util.h"
#include "samples.h"

#include <string.h>

enum { LEAVES_MAX = 2 };

void tool_rows_init(struct tool_rows *t, const struct samples *samples,
	const struct engine_request *request, struct frame_table *frames)
{
	*t = (struct tool_rows){.samples = samples, .request = request, .frames = frames};
	table_init(&t->leaves);
}

void tool_rows_release(struct tool_rows *t)
{
	table_release(&t->leaves);
}

/* Returns the value of the label KEY in a set, or 0 if it has no such label. */
static uint32_t value_of(const struct tool_rows *t, uint32_t set, const char *key, size_t len)
{
	for (; set; set = t->samples->labels[set].others) {
		const struct sample_label *label = &t->samples->labels[set];
		const char *name = strpool_get(&t->samples->strings, label->key);

		if (strlen(name) == len && !memcmp(name, key, len))
			return label->value;
	}
	return 0;
}

void tool_rows_add_events(const struct tool_rows *t)
{
	const struct tool *tool = t->request ? t->request->tool : NULL;

	for (size_t i = 0; tool && i < tool->nr_counts; i++)
		recording_add_event(
			t->frames->rec, tool->counts[i].name, tool->counts[i].name, tool->clock, 0);
}

/* Returns whether COUNT counts the rows with this set of labels. */
static bool counts_set(const struct tool_rows *t, const struct tool_count *count, uint32_t set)
{
	uint32_t value = count->label ? value_of(t, set, count->label, strlen(count->label)) : 0;

	return !count->label ||
	       (value && (!count->value ||
				 !strcmp(strpool_get(&t->samples->strings, value), count->value)));
}

void tool_rows_count(const struct tool_rows *t, const struct sample_row *row, struct samples *to)
{
	const struct tool *tool = t->request ? t->request->tool : NULL;

	for (size_t i = 0; tool && !row->key.event && i < tool->nr_counts; i++) {
		struct sample_key key = row->key;

		if (!counts_set(t, &tool->counts[i], key.labels))
			continue;
		key.event = (uint32_t)(t->samples->nr_events + i);
		samples_add_counts(to, &key, t->samples, row);
	}
}

static uint32_t add_leaf(const struct tool_rows *t, const uint32_t *values, size_t nr)
{
	uint32_t frames[LEAVES_MAX], n = 0;
	struct recording *rec = t->frames->rec;

	for (size_t i = nr; i--;)
		if (values[i])
			frames[n++] = frame_table_named(t->frames, FRAME_KERNEL,
				&(struct rec_name){.function = strpool_import(&rec->strings,
							   &t->samples->strings, values[i]),
					.module = recording_string(rec, "[kernel]")});
	return n ? recording_add_stack(rec, STACK_KERNEL, END_ROOT, 0, frames, n) : NO_STACK;
}

uint32_t tool_rows_leaf(struct tool_rows *t, uint32_t labels)
{
	const char *keys = t->request && t->request->kernel ? t->request->tool->leaf : NULL, *key;
	uint32_t values[LEAVES_MAX] = {0};
	bool is_new;
	size_t nr = 0, len;

	while (nr < LEAVES_MAX && (key = tool_next_word(&keys, &len)))
		values[nr++] = value_of(t, labels, key, len);
	if (!nr)
		return NO_STACK;
	uint32_t *stack = table_put(&t->leaves, values[0], values[1], &is_new);

	if (is_new)
		*stack = add_leaf(t, values, nr);
	return *stack;
}
