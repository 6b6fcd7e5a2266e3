/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/process.h"
#include "process/task.h"

#include <stdlib.h>

static const struct facet_ops ops;

void label_processes_init(struct label_processes *lp, const struct label_source *source,
	uint32_t keys, struct processes *ps)
{
	*lp = (struct label_processes){.source = source, .keys = keys};
	facet_init(&lp->facet, &ops, source ? source->title : NULL, ps);
}

void label_processes_release(struct label_processes *lp)
{
	facet_release(&lp->facet);
	free(lp->points);
	*lp = (struct label_processes){0};
}

/* Returns the layout and names of PID, or NULL if it was not looked at. */
static const struct label_process *known(const struct label_processes *lp, uint32_t pid)
{
	const struct facet_entry *e = facet_known(&lp->facet, pid);

	return e ? e->data : NULL;
}

void label_processes_probe(struct label_processes *lp, const struct label_function *function)
{
	if (lp->nr_functions < LABEL_FUNCTIONS_MAX)
		lp->functions[lp->nr_functions++] = *function;
}

static bool has_point(const struct label_processes *lp, const struct label_point *point)
{
	for (size_t i = 0; i < lp->nr_points; i++)
		if (lp->points[i].point.object == point->point.object &&
			lp->points[i].function == point->function)
			return true;
	return false;
}

/* Adds the places of the probes in the file that P, which is T, runs, unless they are known. */
static void add_points(struct label_processes *lp, const struct process *p, const struct target *t)
{
	const struct target_file *file = lp->nr_functions ? lp->source->file(t) : NULL;

	for (size_t i = 0; i < lp->nr_functions; i++) {
		struct label_function *f = &lp->functions[i];
		struct label_point new = {.function = i};

		if (!probe_point_find(lp->facet.ps, p, &t->memory,
			    file ? target_symbol(file, f->name) : 0, f->value, &new.point)) {
			f->is_missing = true;
		} else if (!has_point(lp, &new)) {
			ALLOC_GROW(lp->points, lp->nr_points, lp->points_alloc);
			lp->points[lp->nr_points++] = new;
		}
	}
}

/* Returns what is known of the layout. */
static enum label_state state_of(
	const struct label_source *source, const struct label_process *data)
{
	return source->state ? source->state(&data->layout) : LABEL_COMPLETE;
}

/*
 * Returns when to look again. A layout can only be verified after the process has done more work.
 */
static enum facet_again again(const struct label_processes *lp, const struct label_process *data)
{
	bool is_open = !lp->source->open || data->names;

	switch (is_open ? state_of(lp->source, data) : LABEL_INCOMPLETE) {
	case LABEL_COMPLETE:
		return FACET_NEVER;
	case LABEL_UNVERIFIED:
		return FACET_LATER;
	case LABEL_INCOMPLETE:
		return FACET_SOON;
	}
	return FACET_NEVER;
}

static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	struct label_processes *lp = (struct label_processes *)f;
	struct label_process *data = e->data;
	struct label_layout layout;
	struct target t;
	int found;

	inspect_init(&t, f->ps, p, NULL);
	found = lp->source->find(&t, &layout, why);
	if (!found) {
		data->layout = layout;
		if (!data->names && lp->source->open)
			data->names = lp->source->open(&t, &layout);
		add_points(lp, p, &t);
		e->again = again(lp, data);
	}
	inspect_release(&t);
	return !found ? FACET_FOUND : found > 0 ? FACET_NONE : FACET_REFUSED;
}

static void clear(struct facet *f, struct facet_entry *e)
{
	struct label_processes *lp = (struct label_processes *)f;
	struct label_process *data = e->data;

	if (data->names)
		lp->source->close(data->names);
	data->names = NULL;
}

static const void *value(struct facet *f, const struct facet_entry *e)
{
	(void)f;
	return &((const struct label_process *)e->data)->layout;
}

/*
 * A refused process is reported only if it is refused again when it is no longer young. Most
 * refused processes are about to execute another program, or have just done so and are not
 * relocated yet.
 */
static const struct facet_ops ops = {
	.size = sizeof(struct label_process),
	.is_eager = true,
	.is_patient = true,
	.look = look,
	.clear = clear,
	.value = value,
};

int label_processes_find(struct label_processes *lp, bool must, struct strbuf *err)
{
	int found = facet_look_at_all(&lp->facet, must, err);

	if (found <= 0)
		return found;
	return fail(err, "no %s runs in what is to be recorded: %s", lp->source->title,
		lp->source->advice);
}

int label_processes_add_values(const struct label_processes *lp, void **values, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < lp->facet.nr && !ret; i++) {
		const struct facet_entry *e = &lp->facet.list[i];
		const struct process *p = facet_process(&lp->facet, e);
		const struct label_process *data = e->data;
		struct target t;

		if (e->state != FACET_FOUND || !p || p->gone || !task_lives(p->pid, 0))
			continue;
		inspect_init(&t, lp->facet.ps, p, NULL);
		ret = lp->source->add_values(values, &t, &data->layout, e->pid, err);
		inspect_release(&t);
	}
	return ret;
}

bool label_processes_found(const struct label_processes *lp, uint32_t pid)
{
	return facet_found(&lp->facet, pid);
}

bool label_processes_unused(const struct label_processes *lp, uint32_t pid)
{
	const struct facet_entry *e = facet_found(&lp->facet, pid);
	const struct label_process *data = e ? e->data : NULL;

	return data && state_of(lp->source, data) == LABEL_INCOMPLETE;
}

void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker)
{
	const struct label_process *p = known(lp, set->tgid);

	lp->source->take(p ? p->names : NULL, set, lp->keys, taker);
}
