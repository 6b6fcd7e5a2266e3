/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_counts.h"
#include "lib/table.h"
#include "lib/util.h"

#include <stdlib.h>

static struct distribution *group_of(struct request_counts *c, struct table *known, uint64_t value)
{
	bool is_new;
	uint32_t *number = table_put(known, value, 0, &is_new);

	if (is_new) {
		ALLOC_GROW(c->groups, c->nr, c->alloc);
		c->groups[c->nr++] = (struct request_group){.value = value};
		*number = (uint32_t)c->nr;
	}
	return &c->groups[*number - 1].times;
}

static int compare_groups(const void *a, const void *b)
{
	const struct request_group *x = a, *y = b;

	if (x->times.sum != y->times.sum)
		return compare_u64(y->times.sum, x->times.sum);
	return compare_u64(x->value, y->value);
}

/* Adds a row to the group of its label. Rows whose text is not known are in one group. */
static void add_to_group(struct request_counts *c, struct table *known,
	const struct request_results *r, const struct times_key *key, const struct times_row *row)
{
	bool has_text = request_results_has_value(r, c->by, key->value);

	if (!has_text)
		c->others += row->count;
	distribution_add(group_of(c, known, has_text ? key->value : TIMES_OTHER_VALUE), row->count,
		row->sum_ns, row->min_ns, row->max_ns);
}

void request_counts_read(
	struct request_counts *c, const struct request_timing *t, const struct request_results *r)
{
	struct times_key key, next;
	struct times_row row;
	struct table known;

	table_init(&known);
	for (bool any = false; request_timing_next(t, any ? &key : NULL, &next, &row); any = true) {
		enum request_match match = request_results_match(r, next.where);

		key = next;
		if (match == REQUEST_IS_UNDECIDED)
			c->undecided += row.count;
		if (match != REQUEST_MATCHES)
			continue;
		c->by_clock += row.by_clock;
		distribution_add(&c->total, row.count, row.sum_ns, row.min_ns, row.max_ns);
		if (c->by != NGINX_KEYS)
			add_to_group(c, &known, r, &key, &row);
	}
	table_release(&known);
	if (c->nr)
		qsort(c->groups, c->nr, sizeof(*c->groups), compare_groups);
}

void request_counts_release(struct request_counts *c)
{
	for (size_t i = 0; i < c->nr; i++)
		distribution_release(&c->groups[i].times);
	free(c->groups);
	distribution_release(&c->total);
}
