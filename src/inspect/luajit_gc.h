/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The garbage collector of LuaJIT 2.1 (GC64), read while the process runs. */
#ifndef INSPECT_LUAJIT_GC_H
#define INSPECT_LUAJIT_GC_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LUAJIT_GC = 0x10 }; /* offset in global_State */

enum luajit_phase {
	LUAJIT_PAUSE,
	LUAJIT_PROPAGATE,
	LUAJIT_ATOMIC,
	LUAJIT_SWEEP_STRINGS,
	LUAJIT_SWEEP,
	LUAJIT_FINALIZE,
};

/* A part of global_State, from LUAJIT_GC on: GCState, the empty string, flags, StrInternState. */
struct luajit_gc_state {
	uint64_t total, threshold;
	uint8_t white, phase, flags[2];
	uint32_t sweepstr;
	uint64_t root, sweep, gray, grayagain, weak, mmudata;
	uint64_t debt, estimate;
	uint32_t stepmul, pause;
	uint64_t lightudseg, empty_string[4], string_table;
	uint32_t string_mask, nr_strings;
};
_Static_assert(offsetof(struct luajit_gc_state, string_mask) == 0xa0 - LUAJIT_GC, "as in lj_obj.h");

/*
 * Reads the collector of the state GLOBAL once. Returns false if it cannot be read or is not a
 * collector.
 */
bool luajit_gc_read_state(const struct memory *m, uint64_t global, struct luajit_gc_state *state);

struct luajit_gc {
	const char *phase;       /* "pause", "propagate", … */
	uint64_t total;          /* bytes that are allocated */
	uint64_t threshold;      /* allocated bytes at which the collector continues */
	uint64_t estimate;       /* bytes in use after the last cycle */
	uint64_t debt;           /* bytes by which the collector is behind */
	uint32_t pause, stepmul; /* per cent, as set by collectgarbage() */
	uint32_t strings, slots; /* interned strings, and slots of their hash table */
};

/*
 * Reads the collector of the state GLOBAL again and again until the phase, and the members that
 * change with it, are equal in two successive readings, so that the values are consistent. Returns
 * false also if they keep changing.
 */
bool luajit_gc_read(const struct memory *m, uint64_t global, struct luajit_gc *gc);

#endif
