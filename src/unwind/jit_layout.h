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
};

struct jit_layout {
	uint32_t kind; /* enum jit_kind */
	uint32_t pad;
	union { /* by kind */
		struct unwind_rule rule;
		struct hotspot_layout hotspot;
	};
};

#endif
