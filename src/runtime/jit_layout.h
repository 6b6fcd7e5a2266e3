/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the code that a process compiles at run time is unwound, if its runtime is known. User space
 * finds the layout when it reads the mappings, see native.h; it is shared with the kernel (BPF).
 */
#ifndef RUNTIME_JIT_LAYOUT_H
#define RUNTIME_JIT_LAYOUT_H

#include "unwind/format.h"

#include <stdbool.h>

struct jit_layout {
	uint32_t runtime; /* enum runtime, RUNTIME_UNKNOWN if only the code itself can tell */
	/*
	 * The code's mappings change all the time. A pc in no mapping may be new code: the step by
	 * the rule finds out.
	 */
	bool is_restless;
	struct unwind_rule rule;                       /* of all of the code, if there is one */
	uint8_t data[192] __attribute__((aligned(8))); /* for use by the runtime */
};

#endif
