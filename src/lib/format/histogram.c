/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "histogram.h"

enum { BAR = 40 };

static const char stars[] = "****************************************";
_Static_assert(sizeof(stars) == BAR + 1, "the longest bar");

static uint64_t most_of(const struct distribution_octave *octaves, size_t nr)
{
	uint64_t most = 0;

	for (size_t i = 0; i < nr; i++)
		most = octaves[i].count > most ? octaves[i].count : most;
	return most;
}

/* A count above 0 has at least one star. */
static void add_bar(struct grid *g, uint64_t count, uint64_t most)
{
	size_t len = most ? (size_t)((double)count / (double)most * BAR + 0.5) : 0;

	if (!count)
		grid_adds(g, " ");
	else
		grid_add(g, stars, len ? len : 1);
}

void histogram_list(struct grid *g, const char *const columns[HISTOGRAM_COLUMNS],
	const struct distribution_octave *octaves, size_t nr, enum grid_format format,
	histogram_bound *add_bound, const void *context)
{
	bool is_drawn = format == GRID_TEXT;
	uint64_t most = most_of(octaves, nr);

	grid_init(g, columns, HISTOGRAM_COLUMNS - !is_drawn);
	for (size_t i = 0; i < nr; i++) {
		add_bound(g, octaves[i].from, context);
		add_bound(g, octaves[i].to, context);
		grid_addu(g, octaves[i].count);
		if (is_drawn)
			add_bar(g, octaves[i].count, most);
	}
}
