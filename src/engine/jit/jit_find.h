/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds how code that a process compiles at run time is unwound, by the runtime it has mapped. */
#ifndef ENGINE_JIT_JIT_FIND_H
#define ENGINE_JIT_JIT_FIND_H

#include "process/facet.h"
#include "process/process.h"
#include "unwind/jit_layout.h"

/* The mappings of a process that are memory and no file; of too many, the first ones. */
struct jit_areas {
	const struct processes *ps;
	const struct process *p;
	size_t next; /* of the process's mappings */
	unsigned nr; /* so far */
};

/* The next area; NULL: there are no more. */
const struct mapping *jit_areas_next(struct jit_areas *a);

/*
 * Sets LAYOUT, of kind JIT_BY_CODE unless it returns FACET_FOUND. FACET_EARLY: there is a runtime,
 * but it is not initialised yet.
 */
enum facet_state jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout);

#endif
