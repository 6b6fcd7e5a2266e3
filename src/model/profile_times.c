/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile_times.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_FIRST = 1024 };

void profile_times_release(struct profile_times *t)
{
	series_release(&t->series);
	free(t->of);
	*t = (struct profile_times){0};
}

/* Makes room for NODE. */
static void grow(struct profile_times *t, uint32_t node)
{
	uint32_t nr = t->nr_of ? t->nr_of : NODES_FIRST;

	while (nr <= node)
		nr *= 2;
	if (nr == t->nr_of)
		return;
	t->of = xrealloc(t->of, nr, sizeof(*t->of));
	memset(t->of + t->nr_of, 0, (nr - t->nr_of) * sizeof(*t->of));
	t->nr_of = nr;
}

void profile_times_add(
	struct profile_times *t, uint32_t node, const struct series_pool *pool, uint32_t other)
{
	if (!other)
		return;
	grow(t, node);
	t->of[node] = series_add_all(&t->series, t->of[node], pool, other);
}

uint32_t profile_times_of(const struct profile_times *t, uint32_t node)
{
	return node < t->nr_of ? t->of[node] : 0;
}

void profile_times_clear(struct profile_times *t, uint32_t node)
{
	if (node < t->nr_of)
		t->of[node] = 0;
}
