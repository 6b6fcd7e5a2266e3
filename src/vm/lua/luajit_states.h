/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the states of LuaJIT in the memory of a process: a main lua_State is followed by its
 * global_State, and each refers to the other.
 */
#ifndef VM_LUA_LUAJIT_STATES_H
#define VM_LUA_LUAJIT_STATES_H

#include "process/target.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LUAJIT_VMSTATE = 0xb8, /* in global_State */
	LUAJIT_MAINTHREAD = 0xc0,
	LUAJIT_GCT = 9,      /* the type of an object, in each */
	LUAJIT_GLREF = 0x10, /* in lua_State */
	/* The same with 32-bit references. */
	LUAJIT_MAINTHREAD_32 = 0x8c,
	LUAJIT_MAINTHREAD_2_0 = 0x94,
	LUAJIT_GCT_32 = 5,
	LUAJIT_GLREF_32 = 8,
};

/* Values of gct: of objects, and in the upper 17 bits of values, inverted. */
enum luajit_type {
	LUAJIT_STRING = 4,
	LUAJIT_UPVALUE = 5,
	LUAJIT_THREAD = 6,
	LUAJIT_PROTO = 7,
	LUAJIT_FUNCTION = 8,
	LUAJIT_TRACE = 9,
	LUAJIT_CDATA = 10,
	LUAJIT_TABLE = 11,
	LUAJIT_USERDATA = 12,
};

/* What tells a state's kind, and where it is. */
enum luajit_build {
	LUAJIT_NONE,
	LUAJIT_GC64, /* 2.1, upstream's or OpenResty's */
	LUAJIT_GC32, /* 2.1 with 32-bit references */
	LUAJIT_2_0,
};

/* Their global_States, in the order in which they were found. */
struct luajit_states {
	uint64_t *list;
	size_t nr, alloc;
	int64_t work_ns; /* by the number of pages: the machine may be busy */
};

/* The build of the main state whose global_State is at GLOBAL. */
enum luajit_build luajit_state_at(const struct memory *m, uint64_t global);

/* True if a lua_State of GLOBAL, in that build, is at THREAD. */
bool luajit_thread_is_at(
	const struct memory *m, enum luajit_build build, uint64_t thread, uint64_t global);

/*
 * Searches the memory that the process has written. LuaJIT's own allocator has the state at the
 * same place in a page, in all builds that are known: these words are read first, from the highest
 * address down, which is what was mapped first, in up to 2 GiB of pages: half a microsecond each.
 * Only if they have no state, as with an allocator of the program, 256 MiB are read whole, from the
 * lowest address, which is the heap, up. The caller frees the list.
 */
struct luajit_states luajit_states_search(const struct memory *m);

#endif
