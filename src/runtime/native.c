/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "native.h"
#include "lib/util.h"

const struct native native_none;
#define NATIVE_ROW(ID, hooks, ...) [RUNTIME_##ID] = &hooks,
static const struct native *const natives[RUNTIMES] = {NATIVE_LIST(NATIVE_ROW)};

#define NATIVE_SOURCE(ID, hooks, ...) &hooks.source,
const struct unwind_source *const native_sources[] = {NATIVE_LIST(NATIVE_SOURCE) NULL};
_Static_assert(ARRAY_LEN(native_sources) <= UNWIND_SOURCES_MAX + 1, "unwind_build() uses all");

void native_ask_names(struct facets *fs, struct processes *ps, bool early, bool (*impatient)(void))
{
	for (size_t i = 0; i < RUNTIMES; i++)
		if (natives[i] && natives[i]->names)
			facets_add(fs, natives[i]->names(ps, early, impatient));
}

/* Limits of the work that a process can cause. */
enum { AREAS_MAX = 64, RUNTIMES_MAX = 8 };

const struct mapping *jit_areas_next(struct jit_areas *a)
{
	const struct processes *ps = a->ps;

	while (a->nr < AREAS_MAX && a->next < a->p->nr_maps) {
		const struct mapping *m = &ps->maps[a->p->maps[a->next++]];

		if (!recording_is_memory(ps->objects[m->object].path))
			continue;
		a->nr++;
		return m;
	}
	return NULL;
}

/* FILE is the first mapping of a file of the runtime N. */
static enum facet_state find_by(const struct native *n, const struct processes *ps,
	const struct process *p, const struct mapping *file, struct jit_layout *layout)
{
	struct jit_areas areas = {.ps = ps, .p = p};

	if (n && n->find)
		return n->find(ps, p, file, layout);
	if (!n || !n->find_by_area)
		return FACET_NONE;
	for (const struct mapping *m; (m = jit_areas_next(&areas));)
		if (n->find_by_area(p, m, layout))
			return FACET_FOUND;
	return FACET_EARLY;
}

enum facet_state jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout)
{
	enum facet_state found = FACET_NONE;
	size_t before = SIZE_MAX;
	unsigned nr = 0;

	*layout = (struct jit_layout){0};
	if (!jit_areas_next(&(struct jit_areas){.ps = ps, .p = p}))
		return found;
	for (size_t i = 0; i < p->nr_maps && found != FACET_FOUND && nr < RUNTIMES_MAX; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];
		const struct object *o = &ps->objects[m->object];
		enum runtime runtime = o->elf ? runtime_of(file_name(o->path)) : RUNTIME_UNKNOWN;

		if (m->object == before || runtime == RUNTIME_UNKNOWN)
			continue;
		before = m->object;
		nr++;
		enum facet_state this = find_by(natives[runtime], ps, p, m, layout);

		if (this == FACET_FOUND)
			layout->runtime = runtime;
		if (this != FACET_NONE)
			found = this;
	}
	return found;
}

/* ---- the facet ---- */

/*
 * Looks for a JIT compiler in P. The programs cache rules by the published mappings, so the
 * mappings are published again when a runtime has been initialised.
 */
static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	enum facet_state found = jit_find(f->ps, p, e->data);

	(void)why;
	if (found == FACET_EARLY)
		e->again = FACET_SOON;
	if (found == FACET_FOUND && e->state == FACET_EARLY)
		process_mark_changed(f->ps, &f->ps->list[e->place]);
	return found;
}

static const void *value(struct facet *f, const struct facet_entry *e)
{
	(void)f;
	return e->data;
}

static const struct facet_ops ops = {
	.size = sizeof(struct jit_layout),
	.is_lazy = true,
	.look = look,
	.value = value,
};

void jit_layouts_init(struct facet *f, struct processes *ps)
{
	facet_init(f, &ops, "a JIT compiler", ps);
}

const struct jit_layout *jit_layouts_of(struct facet *f, const struct process *p)
{
	const struct facet_entry *e = facet_current(f, p);

	return e->state == FACET_FOUND ? e->data : NULL;
}
