/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_find.h"
#include "jit_erlang.h"
#include "jit_guile.h"
#include "jit_hotspot.h"
#include "jit_luajit.h"
#include "jit_pypy.h"
#include "jit_qemu.h"
#include "lib/util.h"
#include "model/runtime.h"

/* One row for each runtime whose code has no frame pointers but can be unwound otherwise. */
static const struct {
	enum runtime runtime;
	/* RUNTIME: the first mapping of its file */
	enum jit_found (*find)(const struct processes *ps, const struct process *p,
		const struct mapping *runtime, struct jit_layout *layout);
} finders[] = {
	{RUNTIME_ERLANG, jit_erlang_find},
	{RUNTIME_GUILE, jit_guile_find},
	{RUNTIME_JAVA, jit_hotspot_find},
	{RUNTIME_LUAJIT, jit_luajit_find},
	{RUNTIME_PYPY, jit_pypy_find},
	{RUNTIME_QEMU, jit_qemu_find},
};

static bool has_memory(const struct processes *ps, const struct process *p)
{
	for (size_t i = 0; i < p->nr_maps; i++)
		if (recording_is_memory(ps->objects[ps->maps[p->maps[i]].object].path))
			return true;
	return false;
}

static enum jit_found find_by(const struct processes *ps, const struct process *p,
	const struct mapping *m, struct jit_layout *layout)
{
	enum runtime runtime = runtime_of(file_name(ps->objects[m->object].path));

	for (size_t i = 0; runtime && i < ARRAY_LEN(finders); i++)
		if (finders[i].runtime == runtime)
			return finders[i].find(ps, p, m, layout);
	return JIT_FOUND_NONE;
}

enum jit_found jit_find(
	const struct processes *ps, const struct process *p, struct jit_layout *layout)
{
	enum jit_found found = JIT_FOUND_NONE;
	size_t before = SIZE_MAX;

	*layout = (struct jit_layout){.kind = JIT_BY_CODE};
	if (!has_memory(ps, p))
		return found;
	for (size_t i = 0; i < p->nr_maps && found != JIT_FOUND; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];

		if (m->object == before || !ps->objects[m->object].elf)
			continue;
		before = m->object;
		enum jit_found this = find_by(ps, p, m, layout);

		if (this != JIT_FOUND_NONE)
			found = this;
	}
	return found;
}
