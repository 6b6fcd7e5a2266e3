/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_gc.h"
#include "lib/util.h"

enum { TRIES = 100 };

static const char *const phases[] = {
	"pause", "propagate", "atomic", "sweepstring", "sweep", "finalize"};

bool luajit_gc_read_state(const struct memory *m, uint64_t global, struct luajit_gc_state *state)
{
	return memory_read(m, global + LUAJIT_GC, state, sizeof(*state)) &&
	       state->phase < ARRAY_LEN(phases);
}

/* Compares the members that change with the phase, but not the sums, which always change. */
static bool is_same(const struct luajit_gc_state *a, const struct luajit_gc_state *b)
{
	return a->phase == b->phase && a->white == b->white && a->threshold == b->threshold &&
	       a->estimate == b->estimate && a->string_mask == b->string_mask;
}

static bool read_twice(const struct memory *m, uint64_t global, struct luajit_gc_state *raw)
{
	struct luajit_gc_state before;

	if (!luajit_gc_read_state(m, global, raw))
		return false;
	for (int i = 0; i < TRIES; i++) {
		before = *raw;
		if (!luajit_gc_read_state(m, global, raw))
			return false;
		if (is_same(&before, raw))
			return true;
	}
	return false;
}

bool luajit_gc_read(const struct memory *m, uint64_t global, struct luajit_gc *gc)
{
	struct luajit_gc_state raw;

	if (!read_twice(m, global, &raw))
		return false;
	*gc = (struct luajit_gc){
		.phase = phases[raw.phase],
		.total = raw.total,
		.threshold = raw.threshold,
		.estimate = raw.estimate,
		.debt = raw.debt,
		.pause = raw.pause,
		.stepmul = raw.stepmul,
		.strings = raw.nr_strings,
		.slots = raw.string_mask + 1,
	};
	return true;
}
