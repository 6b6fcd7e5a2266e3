/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_inlines.h"
#include "lib/strbuf.h"
#include "lib/strpool.h"
#include "lib/util.h"
#include "lib/word.h"

#include <stdlib.h>

enum { NOTED_SHARE = 200 };

/* The modules of all profiles, by the numbers of their names. */
struct modules {
	struct strpool names;
	struct module {
		bool there[2], inlined[2]; /* on each side: frames, and inlined functions */
		uint64_t weight;           /* inclusive, of inlined functions */
	} * list;
	size_t nr, alloc;
};

/* Returns the module of a frame. Valid until the next call. */
static struct module *module_of(struct modules *m, const struct profile *p, uint32_t frame)
{
	uint32_t number = strpool_import(&m->names, &p->names, p->frames[frame].module);

	while (m->nr <= number) {
		ALLOC_GROW(m->list, m->nr, m->alloc);
		m->list[m->nr++] = (struct module){0};
	}
	return &m->list[number];
}

static void find_modules(struct modules *m, const struct profile *p, int side)
{
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		struct module *module = module_of(m, p, i);

		module->there[side] = true;
		module->inlined[side] |= p->frames[i].kind == FRAME_INLINE;
	}
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		if (p->frames[p->nodes[i].frame].kind == FRAME_INLINE)
			add_capped(&module_of(m, p, p->nodes[i].frame)->weight, p->nodes[i].total);
}

static bool is_uneven(const struct module *m)
{
	return m->there[0] && m->there[1] && m->inlined[0] != m->inlined[1];
}

/*
 * Adds a note for each module with inlined functions on one side only. Less than one in NOTED_SHARE
 * of TOTAL needs none: then they are missing by chance. Returns whether there is such a module.
 */
static bool note_modules(const struct modules *m, uint64_t total, struct strbuf *notes)
{
	bool any = false;

	for (uint32_t id = 1; id < m->nr; id++) {
		if (!is_uneven(&m->list[id]))
			continue;
		any = true;
		if (m->list[id].weight < total / NOTED_SHARE)
			continue;
		strbuf_adds(notes, "inlined functions of ");
		message_add_path(notes, strpool_get(&m->names, id));
		strbuf_addf(notes,
			" are known %s only: they count as part of their callers; if the file "
			"was replaced, record with --inlines\n",
			m->list[id].inlined[0] ? "before" : "after");
	}
	return any;
}

/* Rebuilds the tree of P without the inlined functions of these modules. */
static void leave_out(struct modules *m, struct profile *p)
{
	struct profile old = *p;

	profile_init(p);
	profile_describe(p, &old);
	uint32_t *frame_of = profile_import_frames(p, &old);

	for (uint32_t i = 1; i < old.nr_frames; i++)
		if (old.frames[i].kind == FRAME_INLINE && is_uneven(module_of(m, &old, i)))
			frame_of[i] = 0;
	profile_add_tree(p, &old, frame_of);
	profile_finish(p);
	profile_release(&old);
	free(frame_of);
}

void diff_even_inlines(
	struct profile *const *profiles, size_t nr, size_t nr_before, struct strbuf *notes)
{
	struct modules m = {0};
	uint64_t total = 0;

	strpool_init(&m.names);
	for (size_t i = 0; i < nr; i++) {
		find_modules(&m, profiles[i], i >= nr_before);
		add_capped(&total, profiles[i]->nodes[0].total);
	}
	if (note_modules(&m, total, notes))
		for (size_t i = 0; i < nr; i++)
			leave_out(&m, profiles[i]);
	strpool_release(&m.names);
	free(m.list);
}
