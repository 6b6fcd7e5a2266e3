/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the code that a process compiles at run time is unwound, if its runtime is known. Shared with
 * the kernel (BPF): found by user space when the mappings are read, see engine/jit/.
 */
#ifndef UNWIND_JIT_LAYOUT_H
#define UNWIND_JIT_LAYOUT_H

#include "format.h"
#include "hotspot.h"

enum jit_kind {
	JIT_BY_CODE, /* nothing is known: see jit.h */
	JIT_BY_RULE, /* all of it has one rule */
	JIT_HOTSPOT,
	JIT_ERLANG,
	JIT_LUAJIT,
};

enum { ERLANG_PROCESS = 13 }; /* the register with Erlang's process */

struct erlang_layout {
	uint64_t entry;   /* the C function that runs processes, … */
	uint64_t main;    /* … and the compiled code that it jumps to */
	uint64_t c_stack; /* what of the thread's stack is free, from rbx */
	uint64_t frame;   /* the return address of entry is 8 to 56 bytes above this, from rbx */
	uint64_t stop;    /* where a process's rsp is saved, from ERLANG_PROCESS; 0: not known */
};

struct jit_layout {
	uint32_t kind; /* enum jit_kind */
	uint32_t pad;
	union { /* by kind */
		struct unwind_rule rule;
		struct hotspot_layout hotspot;
		struct erlang_layout erlang;
	};
};

#endif
