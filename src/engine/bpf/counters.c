/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counters.h"

struct counters counters_sum(const struct counters *list, size_t nr)
{
	struct counters sum = {0};

	for (size_t i = 0; i < nr; i++) {
		const struct counters *c = &list[i];

		sum.nodes += c->nodes;
		sum.rows += c->rows;
		sum.ticks += c->ticks;
		sum.hits += c->hits;
		sum.missed += c->missed;
		sum.rows_full += c->rows_full;
		sum.nodes_full += c->nodes_full;
		sum.copies += c->copies;
		sum.copies_lost += c->copies_lost;
		sum.delayed += c->delayed;
		sum.spans_full += c->spans_full;
		sum.spans_lost += c->spans_lost;
		sum.ends_lost += c->ends_lost;
	}
	return sum;
}

uint64_t counters_missed(const struct counters *c, uint64_t gap_ns, uint64_t period_ns)
{
	if (!period_ns || !c->ticks)
		return 0;
	return (uint64_t)((double)(gap_ns / period_ns) * (double)c->hits / (double)c->ticks + 0.5);
}
