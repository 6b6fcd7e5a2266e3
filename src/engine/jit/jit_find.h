/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds how the code that a process compiles at run time is unwound, by the runtime it has mapped.
 */
#ifndef ENGINE_JIT_JIT_FIND_H
#define ENGINE_JIT_JIT_FIND_H

#include "process/process.h"
#include "unwind/jit_layout.h"

enum jit_found {
	JIT_FOUND_NONE,
	JIT_FOUND,
	JIT_FOUND_LATER, /* the runtime is there, but not initialised yet */
};

/* Sets LAYOUT; of kind JIT_BY_CODE unless it was found. */
enum jit_found jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout);

#endif
