/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects of a state of LuaJIT 2.1 (GC64), counted by type in a copy of its memory. */
#ifndef INSPECT_LUAJIT_OBJECTS_H
#define INSPECT_LUAJIT_OBJECTS_H

#include "runtime/lua/lua_layout.h"
#include "runtime/memory_copy.h"
#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * The uses of memory, as ROW(what, name). The stacks of threads and the parts of tables have rows
 * of their own.
 */
#define LUAJIT_USE_LIST(ROW)                                                                       \
	ROW(STRINGS, "string")                                                                     \
	ROW(UPVALUES, "upvalue")                                                                   \
	ROW(THREADS, "thread")                                                                     \
	ROW(STACKS, "thread stack")                                                                \
	ROW(PROTOS, "prototype")                                                                   \
	ROW(LUA_FUNCTIONS, "function (Lua)")                                                       \
	ROW(C_FUNCTIONS, "function (C)")                                                           \
	ROW(TRACES, "trace")                                                                       \
	ROW(CDATA, "cdata")                                                                        \
	ROW(TABLES, "table")                                                                       \
	ROW(ARRAYS, "table array")                                                                 \
	ROW(HASHES, "table hash")                                                                  \
	ROW(USERDATA, "userdata")                                                                  \
	ROW(STRING_TABLE, "string table")                                                          \
	ROW(BUFFER, "string buffer")                                                               \
	ROW(CTYPES, "C types")

enum luajit_use {
#define LUAJIT_USE_ROW(what, name) LUAJIT_USE_##what,
	LUAJIT_USE_LIST(LUAJIT_USE_ROW)
#undef LUAJIT_USE_ROW
		LUAJIT_USES,
};

const char *luajit_use_name(enum luajit_use use);

struct luajit_use_sum {
	uint64_t nr, bytes, largest, address; /* size and address of the largest one */
};

/* An object; the bytes include a thread's stack and a table's array and hash part. */
struct luajit_object {
	uint64_t address, bytes;
	enum luajit_use use;
};

struct luajit_objects {
	struct luajit_use_sum sums[LUAJIT_USES];
	uint64_t bytes;  /* of all sums */
	uint64_t total;  /* allocated bytes by the collector's own count */
	uint64_t lost;   /* references without an object; the rest of such a list is not counted */
	bool is_steady;  /* no object was freed while the memory was read */
	bool has_ended;  /* objects were freed, so reading ended and nothing was counted */
	bool is_at_rest; /* the program did not run, or allocated nothing */
	bool is_full;    /* some memory was not read because there is too much */
	unsigned tries;
	/* How long the reading took, and for how long the process was stopped. */
	int64_t copied_ns, stopped_ns;
	/* The largest objects, largest first. */
	struct luajit_object *top;
	size_t nr_top;
	char **texts; /* descriptions of these objects */
};

struct luajit_objects_request {
	const struct memory *memory;
	const struct luajit_layout *layout;
	uint64_t global;
	size_t top;      /* number of largest objects that are wanted */
	uint32_t pid;    /* the process to stop */
	int64_t stop_ns; /* the longest time to stop it for, or 0 to let it run */
};

/*
 * Counts the objects, up to TRIES times until a reading is whole and steady, and returns the best
 * reading. Returns false if the state is gone or memory could not be allocated. The caller releases
 * O in any case.
 */
bool luajit_objects_count(const struct luajit_objects_request *request, struct luajit_objects *o);
void luajit_objects_release(struct luajit_objects *o);

#endif
