/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runtimes of native_list.h in user space: how to unwind the code that a process compiles at
 * run time, by the runtime it has mapped.
 */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "jit_layout.h"
#include "model/runtime.h"
#include "native_list.h"
#include "process/facet.h"
#include "process/process.h"
#include "unwind/rows.h"

/* The name of frames in new code of restless layouts, which only LuaJIT has. */
#define NATIVE_NEW_CODE "[luajit trace]"

/* A runtime. Functions that it does not need are NULL. */
struct native {
	/*
	 * Finds the layout of P, whose data and rule are 0 at first, or finds it by an area of
	 * memory with code. RUNTIME is the first mapping of a file of the runtime.
	 */
	enum facet_state (*find)(const struct processes *ps, const struct process *p,
		const struct mapping *runtime, struct jit_layout *layout);
	bool (*find_by_area)(
		const struct process *p, const struct mapping *area, struct jit_layout *layout);
	struct unwind_source source;
	/*
	 * Returns a facet, see ops->is_owned, that asks the processes PS for the names of their
	 * compiled code, with EARLY not only at the end. IMPATIENT returns true if the user does
	 * not want to wait then.
	 */
	struct facet *(*names)(struct processes *ps, bool early, bool (*impatient)(void));
};

#define NATIVE_DECLARE(ID, hooks, ...) extern const struct native hooks;
NATIVE_LIST(NATIVE_DECLARE)
#undef NATIVE_DECLARE

/* The sources of all runtimes for unwind_build(). */
extern const struct unwind_source *const native_sources[];

/* Adds the facets of all runtimes that ask for names, see struct native. */
void native_ask_names(struct facets *fs, struct processes *ps, bool early, bool (*impatient)(void));

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
 * Sets *LAYOUT, whose runtime is RUNTIME_UNKNOWN unless FACET_FOUND is returned. Returns
 * FACET_EARLY if there is a runtime that is not initialised yet.
 */
enum facet_state jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout);

/* Initialises the facet of the layouts of PS, which are published before the mappings are. */
void jit_layouts_init(struct facet *f, struct processes *ps);

/*
 * Returns the layout of P, after another look if its mappings have changed, or NULL if it has none.
 * The layout is valid until the next call.
 */
const struct jit_layout *jit_layouts_of(struct facet *f, const struct process *p);

#endif
