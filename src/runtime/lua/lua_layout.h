/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of Lua in a process, for user space and the BPF programs. All addresses are run-time
 * addresses in the process.
 */
#ifndef RUNTIME_LUA_LUA_LAYOUT_H
#define RUNTIME_LUA_LUA_LAYOUT_H

#include "luajit_shape.h"
#include "puc_shape.h"

#include <stdbool.h>

enum lua_kind { LUA_JIT, LUA_PUC };

struct luajit_layout {
	struct luajit_shape shape;
	bool fork;          /* it is OpenResty's fork */
	bool has_traces;    /* the shape's offsets for traces are known */
	uint32_t nr_states; /* number of states that were found */
	uint64_t state;     /* the global_State if there is exactly one, else 0 */
	/* Names of LuaJIT's own functions by ffid, or NULL if not known. User space only. */
	const struct luajit_fast *fast;
	/* The results of earlier searches for states. User space only. */
	struct {
		uint64_t process; /* as in struct target */
		uint64_t state;   /* one of the states that were found, or 0 if there is none */
		uint32_t nr;      /* number of states that were found */
		int64_t took_ns;  /* time that all searches so far have taken */
		int64_t due_ns;   /* monotonic time of the next one */
	} search;
};

enum { PUC_ANY_RELEASE = 0xff };

struct puc_layout {
	struct puc_shape shape;
	uint8_t minor, release; /* version 5.minor.release, or PUC_ANY_RELEASE if it is not known */
	/* Names of Lua's own functions in C, by run-time address minus bias. User space only. */
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
