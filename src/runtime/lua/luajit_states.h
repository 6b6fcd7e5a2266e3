/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the states of LuaJIT in the memory of a process: a main lua_State is followed by its
 * global_State, and each refers to the other.
 */
#ifndef RUNTIME_LUA_LUAJIT_STATES_H
#define RUNTIME_LUA_LUAJIT_STATES_H

#include "process/target.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LUAJIT_VMSTATE = 0xb8, /* offset in global_State */
	LUAJIT_MAINTHREAD = 0xc0,
	LUAJIT_GCT = 9,      /* offset of an object's type in every object */
	LUAJIT_GLREF = 0x10, /* offset in lua_State */
	/* These offsets in builds with 32-bit references. */
	LUAJIT_MAINTHREAD_32 = 0x8c,
	LUAJIT_MAINTHREAD_2_0 = 0x94,
	LUAJIT_GCT_32 = 5,
	LUAJIT_GLREF_32 = 8,
};

/* The types of objects, as in gct. The upper 17 bits of values have them inverted. */
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

/* The builds that differ in the layout of their states. */
enum luajit_build {
	LUAJIT_NONE,
	LUAJIT_GC64, /* 2.1, upstream's or OpenResty's */
	LUAJIT_GC32, /* 2.1 with 32-bit references */
	LUAJIT_2_0,
};

/* The addresses of global_States, in the order in which they were found. */
struct luajit_states {
	uint64_t *list;
	size_t nr, alloc;
	int64_t work_ns; /* estimated from the number of pages, as the machine may be busy */
};

/* Returns the build of the state whose global_State is at GLOBAL, or LUAJIT_NONE. */
enum luajit_build luajit_state_at(const struct memory *m, uint64_t global);

/* Returns whether a lua_State of the state GLOBAL, with the layout of BUILD, is at THREAD. */
bool luajit_thread_is_at(
	const struct memory *m, enum luajit_build build, uint64_t thread, uint64_t global);

/*
 * Searches the memory that the process has written. In all known builds LuaJIT's own allocator puts
 * the state at the same offset in a page. These words are read first, in up to 2 GiB of pages,
 * which takes about half a microsecond per page, from the highest address down, since memory that
 * was mapped first has the highest address. Only if no state is found, as with an allocator of the
 * program, 256 MiB are read whole from the lowest address up, which begins with the heap. The
 * caller frees the list.
 */
struct luajit_states luajit_states_search(const struct memory *m);

#endif
