/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_layouts.h"
#include "runtime/native.h"

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
