/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The garbage collector of LuaJIT 2.1 (GC64), read while the process runs. */
#ifndef VM_LUA_LUAJIT_GC_H
#define VM_LUA_LUAJIT_GC_H

#include "vm/target.h"

#include <stdbool.h>
#include <stdint.h>

struct luajit_gc {
	const char *phase;       /* "pause", "propagate", … */
	uint64_t total;          /* bytes that are allocated */
	uint64_t threshold;      /* of them at which the collector goes on */
	uint64_t estimate;       /* bytes in use after the last cycle */
	uint64_t debt;           /* bytes that it is behind */
	uint32_t pause, stepmul; /* per cent: collectgarbage("setpause"), ("setstepmul") */
	uint32_t strings, slots; /* interned strings, and slots of their hash table */
};

/*
 * Reads that of the state GLOBAL. It is read again until the phase and what changes with it are
 * those of the reading before, so that all values belong together. False: they are not readable,
 * are not those of a collector, or change all the time.
 */
bool luajit_gc_read(const struct memory *m, uint64_t global, struct luajit_gc *gc);

#endif
