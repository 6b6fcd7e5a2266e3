/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the code that a process compiles at run time is unwound, if its runtime is known. User space
 * finds the layout when it reads the mappings, see runtime/jit_find.h; it is shared with the kernel
 * (BPF).
 */
#ifndef UNWIND_JIT_LAYOUT_H
#define UNWIND_JIT_LAYOUT_H

#include "format.h"
#include "hotspot.h"

enum jit_kind {
	JIT_BY_CODE, /* nothing is known, see jit.h */
	JIT_BY_RULE, /* one rule for all of the code */
	JIT_HOTSPOT,
	JIT_ERLANG,
	JIT_LUAJIT,
};

enum { ERLANG_PROCESS = 13 }; /* the register that points to Erlang's process */

struct erlang_layout {
	uint64_t entry;   /* the C function that runs processes */
	uint64_t main;    /* the compiled code that it jumps to */
	uint64_t c_stack; /* C functions are called with rsp at or below rbx + c_stack */
	uint64_t frame;   /* the return address of entry is 8 to 56 bytes above rbx + frame */
	uint64_t stop;    /* where a process saves rsp, from ERLANG_PROCESS, or 0 */
};

struct jit_layout {
	uint32_t kind; /* enum jit_kind */
	uint32_t pad;
	union { /* selected by kind */
		struct unwind_rule rule;
		struct hotspot_layout hotspot;
		struct erlang_layout erlang;
	};
};

#endif
