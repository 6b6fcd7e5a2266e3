/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_sides.h"
#include "diff_inlines.h"
#include "diff_modules.h"
#include "lib/strbuf.h"
#include "model/amount.h"

#include <stdlib.h>

/* The first run after stands for all runs after, and the notes on the first run for all before. */
static void match_modules(struct diff_sides *s, struct strbuf *notes)
{
	for (size_t i = 0; i < s->nr_before; i++) {
		struct strbuf others = STRBUF_INIT;

		diff_match_modules(s->runs[i], s->runs[s->nr_before], i ? &others : notes);
		strbuf_release(&others);
	}
}

/* Sets SUM to the sum of NR runs. */
static struct profile *add_up(struct profile *sum, struct profile *const *runs, size_t nr)
{
	profile_init(sum);
	profile_describe(sum, runs[0]);
	for (size_t i = 0; i < nr; i++) {
		uint32_t *frame_of = profile_import_frames(sum, runs[i]);

		profile_add_tree(sum, runs[i], frame_of);
		free(frame_of);
	}
	profile_finish(sum);
	return sum;
}

void diff_sides_init(struct diff_sides *s, struct profile *const *runs, size_t nr, size_t nr_before,
	struct strbuf *notes)
{
	*s = (struct diff_sides){.runs = runs, .nr = nr, .nr_before = nr_before};
	match_modules(s, notes);
	diff_even_inlines(runs, nr, nr_before, notes);
	s->before = nr == 2 ? runs[0] : add_up(&s->sums[0], runs, nr_before);
	s->after = nr == 2 ? runs[1] : add_up(&s->sums[1], runs + nr_before, nr - nr_before);
}

void diff_sides_release(struct diff_sides *s)
{
	if (s->nr > 2) {
		profile_release(s->before);
		profile_release(s->after);
	}
	*s = (struct diff_sides){0};
}

void diff_sides_add_weight(struct strbuf *out, const struct profile *side)
{
	amount_add_unit(out, side->nodes[0].total, side->unit);
}
