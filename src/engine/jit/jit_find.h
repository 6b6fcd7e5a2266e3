/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds how code that a process compiles at run time is unwound, by the runtime it has mapped. */
#ifndef ENGINE_JIT_JIT_FIND_H
#define ENGINE_JIT_JIT_FIND_H

#include "process/process.h"
#include "unwind/jit_layout.h"

enum jit_found {
	JIT_FOUND_NONE,
	JIT_FOUND,
	JIT_FOUND_LATER, /* the runtime is there, but not initialised yet */
};

/* The mappings of a process that are memory and no file; of too many, the first ones. */
struct jit_areas {
	const struct processes *ps;
	const struct process *p;
	size_t next; /* of the process's mappings */
	unsigned nr; /* so far */
};

/* The next area; NULL: there are no more. */
const struct mapping *jit_areas_next(struct jit_areas *a);

/* Sets LAYOUT; of kind JIT_BY_CODE unless it was found. */
enum jit_found jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout);

#endif
