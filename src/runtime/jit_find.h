/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds how to unwind the code that a process compiles at run time, by the runtime it has mapped.
 */
#ifndef RUNTIME_JIT_FIND_H
#define RUNTIME_JIT_FIND_H

#include "process/facet.h"
#include "process/process.h"
#include "unwind/jit_layout.h"

/* The mappings of a process that are memory and no file; if there are too many, the first ones. */
struct jit_areas {
	const struct processes *ps;
	const struct process *p;
	size_t next; /* index in the process's mappings */
	unsigned nr; /* how many so far */
};

/* Returns the next area, or NULL if there are no more. */
const struct mapping *jit_areas_next(struct jit_areas *a);

/*
 * Sets *LAYOUT, which is of kind JIT_BY_CODE unless FACET_FOUND is returned. Returns FACET_EARLY if
 * there is a runtime that is not initialised yet.
 */
enum facet_state jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout);

#endif
