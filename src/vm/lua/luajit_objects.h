/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects of a state of LuaJIT 2.1 (GC64), counted by type in a copy of its memory. */
#ifndef VM_LUA_LUAJIT_OBJECTS_H
#define VM_LUA_LUAJIT_OBJECTS_H

#include "lua_layout.h"
#include "vm/memory_copy.h"
#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* What memory is used for: ROW(what, name). Stacks and the parts of tables have rows of their own.
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
	uint64_t nr, bytes, largest, address; /* the largest one's size, and where it is */
};

/* With its stack, its array and its hash part. */
struct luajit_object {
	uint64_t address, bytes;
	enum luajit_use use;
};

struct luajit_objects {
	struct luajit_use_sum sums[LUAJIT_USES];
	uint64_t bytes;  /* of all sums */
	uint64_t total;  /* what the collector says is allocated */
	uint64_t lost;   /* references to what is no object: others may be behind it */
	bool is_steady;  /* no object was freed while they were read */
	bool has_ended;  /* objects were freed, and they were not counted */
	bool is_at_rest; /* the program did not run, or allocated nothing */
	bool is_full;    /* not all could be read for its size */
	unsigned tries;
	int64_t copied_ns, stopped_ns; /* of the last try: the reading; the process was stopped */
	/* The largest ones, the first is the largest. */
	struct luajit_object *top;
	size_t nr_top;
	char **texts; /* of each: what it is */
};

struct luajit_objects_request {
	const struct memory *memory;
	const struct luajit_layout *layout;
	uint64_t global;
	size_t top;      /* objects that are wanted */
	uint32_t pid;    /* to be stopped */
	int64_t stop_ns; /* for at most that long; 0: it is not stopped */
};

/*
 * Counts them, up to TRIES times until the reading is whole and steady, and returns the best one.
 * False: the state is gone, or there is no memory. To be released in any case.
 */
bool luajit_objects_count(const struct luajit_objects_request *request, struct luajit_objects *o);
void luajit_objects_release(struct luajit_objects *o);

#endif
