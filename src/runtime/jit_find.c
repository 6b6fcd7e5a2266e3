/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_find.h"
#include "runtime/erlang/jit_erlang.h"
#include "runtime/guile/jit_guile.h"
#include "runtime/java/jit_hotspot.h"
#include "runtime/lua/jit_luajit.h"
#include "runtime/pypy/jit_pypy.h"
#include "runtime/qemu/jit_qemu.h"
#include "lib/util.h"
#include "model/runtime.h"

/* One row for each runtime whose code has no frame pointers but can be unwound in another way. */
static const struct {
	enum runtime runtime;
	/* RUNTIME is the first mapping of its file */
	enum facet_state (*find)(const struct processes *ps, const struct process *p,
		const struct mapping *runtime, struct jit_layout *layout);
} finders[] = {
	{RUNTIME_ERLANG, jit_erlang_find},
	{RUNTIME_GUILE, jit_guile_find},
	{RUNTIME_JAVA, jit_hotspot_find},
	{RUNTIME_LUAJIT, jit_luajit_find},
	{RUNTIME_PYPY, jit_pypy_find},
	{RUNTIME_QEMU, jit_qemu_find},
};

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

static enum facet_state find_by(enum runtime runtime, const struct processes *ps,
	const struct process *p, const struct mapping *m, struct jit_layout *layout)
{
	for (size_t i = 0; i < ARRAY_LEN(finders); i++)
		if (finders[i].runtime == runtime)
			return finders[i].find(ps, p, m, layout);
	return FACET_NONE;
}

enum facet_state jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout)
{
	enum facet_state found = FACET_NONE;
	size_t before = SIZE_MAX;
	unsigned nr = 0;

	*layout = (struct jit_layout){.kind = JIT_BY_CODE};
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
		enum facet_state this = find_by(runtime, ps, p, m, layout);

		if (this != FACET_NONE)
			found = this;
	}
	return found;
}
