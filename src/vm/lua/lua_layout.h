/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of Lua in a process, for user space and the BPF programs. Addresses are those of the
 * process.
 */
#ifndef VM_LUA_LUA_LAYOUT_H
#define VM_LUA_LUA_LAYOUT_H

#include "luajit_shape.h"
#include "puc_shape.h"

#include <stdbool.h>

enum lua_kind { LUA_JIT, LUA_PUC };

struct luajit_layout {
	struct luajit_shape shape;
	bool fork;          /* OpenResty's */
	bool has_traces;    /* the shape's offsets for traces are known */
	uint32_t nr_states; /* that were found */
	uint64_t state;     /* the global_State of the only one; 0: none, or several */
	/* Names of the functions that LuaJIT itself has, by ffid; NULL: not known. User space only.
	 */
	const struct luajit_fast *fast;
	/* What finding it again needs. User space only. */
	struct {
		uint64_t process; /* as in struct target */
		uint64_t state;   /* one of those that were found; 0: none */
		uint32_t nr;      /* of them */
		int64_t took_ns;  /* all searches so far */
		int64_t due_ns;   /* monotonic time of the next one */
	} search;
};

enum { PUC_ANY_RELEASE = 0xff };

struct puc_layout {
	struct puc_shape shape;
	uint8_t minor, release; /* version 5.minor.release; PUC_ANY_RELEASE: not known */
	/* Names of its own functions in C, by run-time address minus bias. User space only. */
	const struct puc_library *functions;
	uint64_t bias;
};

struct lua_layout {
	enum lua_kind kind;
	union {
		struct luajit_layout jit;
		struct puc_layout puc;
	};
};

#endif
