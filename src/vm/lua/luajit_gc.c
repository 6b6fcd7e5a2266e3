/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "luajit_gc.h"
#include "lib/util.h"

enum { GC_AT = 0x10, TRIES = 100 };

/* Of global_State from GC_AT on: GCState, the empty string, flags, StrInternState. */
struct raw_gc {
	uint64_t total, threshold;
	uint8_t white, phase, flags[2];
	uint32_t sweepstr;
	uint64_t root, sweep, gray, grayagain, weak, mmudata;
	uint64_t debt, estimate;
	uint32_t stepmul, pause;
	uint64_t lightudseg, empty_string[4], string_table;
	uint32_t string_mask, nr_strings;
};
_Static_assert(offsetof(struct raw_gc, string_mask) == 0xa0 - GC_AT, "as in lj_obj.h");

static const char *const phases[] = {
	"pause", "propagate", "atomic", "sweepstring", "sweep", "finalize"};

/* The sums of all allocations change between any two readings. */
static bool is_same(const struct raw_gc *a, const struct raw_gc *b)
{
	return a->phase == b->phase && a->white == b->white && a->threshold == b->threshold &&
	       a->estimate == b->estimate && a->string_mask == b->string_mask;
}

static bool read_twice(const struct memory *m, uint64_t address, struct raw_gc *raw)
{
	struct raw_gc before;

	if (!memory_read(m, address, raw, sizeof(*raw)))
		return false;
	for (int i = 0; i < TRIES; i++) {
		before = *raw;
		if (!memory_read(m, address, raw, sizeof(*raw)))
			return false;
		if (is_same(&before, raw))
			return true;
	}
	return false;
}

bool luajit_gc_read(const struct memory *m, uint64_t global, struct luajit_gc *gc)
{
	struct raw_gc raw;

	if (!read_twice(m, global + GC_AT, &raw) || raw.phase >= ARRAY_LEN(phases))
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
