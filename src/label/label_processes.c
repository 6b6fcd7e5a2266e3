/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/process.h"
#include "process/task.h"

#include <stdlib.h>
#include <string.h>

static const struct facet_ops ops;

void label_processes_init(
	struct label_processes *lp, const struct chosen_sources *chosen, struct processes *ps)
{
	*lp = (struct label_processes){.chosen = *chosen};
	facet_init(&lp->facet, &ops, "labels", ps);
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

/*
 * Adds the places of the probes for SOURCE in the file that P, which is T, runs, unless they are
 * known.
 */
static void add_points(struct label_processes *lp, const struct label_source *source,
	const struct process *p, const struct target *t)
{
	const struct target_file *file = lp->nr_functions ? source->file(t) : NULL;

	for (size_t i = 0; i < lp->nr_functions; i++) {
		struct label_function *f = &lp->functions[i];
		struct label_point new = {.function = i};

		if (f->source != source)
			continue;
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
static enum label_state state_of(const struct label_process *data)
{
	return data->source->state ? data->source->state(&data->layout) : LABEL_COMPLETE;
}

/*
 * Returns when to look again. A layout can only be verified after the process has done more work.
 */
static enum facet_again again(const struct label_process *data)
{
	bool is_open = !data->source->open || data->names;

	switch (is_open ? state_of(data) : LABEL_INCOMPLETE) {
	case LABEL_COMPLETE:
		return FACET_NEVER;
	case LABEL_UNVERIFIED:
		return FACET_LATER;
	case LABEL_INCOMPLETE:
		return FACET_SOON;
	}
	return FACET_NEVER;
}

static void close_names(struct label_process *data)
{
	if (data->names)
		data->source->close(data->names);
	data->names = NULL;
}

/* Finds the source of process T, and its index in CHOSEN. */
static enum facet_state find_source(const struct chosen_sources *chosen, const struct target *t,
	struct label_layout *layout, size_t *index, struct strbuf *why)
{
	for (*index = 0; *index < chosen->nr; ++*index) {
		int found = chosen->list[*index].source->find(t, layout, why);

		if (found <= 0)
			return found ? FACET_REFUSED : FACET_FOUND;
	}
	return FACET_NONE;
}

/* Takes the layout that was found in P, which is T. */
static void take_layout(struct label_processes *lp, struct facet_entry *e, size_t index,
	const struct label_layout *layout, const struct process *p, const struct target *t)
{
	const struct label_source *source = lp->chosen.list[index].source;
	struct label_process *data = e->data;

	if (data->source != source)
		close_names(data);
	data->source = source;
	data->layout = *layout;
	lp->found |= UINT32_C(1) << index;
	if (!data->names && source->open)
		data->names = source->open(t, layout);
	else if (data->names && source->renew)
		source->renew(data->names, t);
	add_points(lp, source, p, t);
	e->again = again(data);
}

static enum facet_state look(
	struct facet *f, const struct process *p, struct facet_entry *e, struct strbuf *why)
{
	struct label_processes *lp = (struct label_processes *)f;
	struct label_layout layout;
	enum facet_state state;
	struct target t;
	size_t index;

	inspect_init(&t, f->ps, p, NULL);
	state = find_source(&lp->chosen, &t, &layout, &index, why);
	if (state == FACET_FOUND)
		take_layout(lp, e, index, &layout, p, &t);
	inspect_release(&t);
	return state;
}

static void clear(struct facet *f, struct facet_entry *e)
{
	(void)f;
	close_names(e->data);
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
	if (facet_look_at_all(&lp->facet, must, err) < 0)
		return -1;
	for (size_t i = 0; i < lp->chosen.nr && must; i++) {
		const struct label_source *source = lp->chosen.list[i].source;

		if (label_processes_any(lp, source))
			continue;
		if (lp->facet.refusals.len)
			return fail(err, "%.*s", (int)strcspn(lp->facet.refusals.buf, "\n"),
				lp->facet.refusals.buf);
		return fail(err, "no %s runs in what is to be recorded: %s", source->title,
			source->advice);
	}
	return 0;
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
		ret = data->source->add_values(values, &t, &data->layout, e->pid, err);
		inspect_release(&t);
	}
	return ret;
}

const struct label_source *label_processes_source(const struct label_processes *lp, uint32_t pid)
{
	const struct facet_entry *e = facet_found(&lp->facet, pid);
	const struct label_process *data = e ? e->data : NULL;

	return data ? data->source : NULL;
}

bool label_processes_any(const struct label_processes *lp, const struct label_source *source)
{
	const struct chosen_source *choice = label_chosen(&lp->chosen, source->kind);

	return choice && lp->found >> (choice - lp->chosen.list) & 1;
}

bool label_processes_unused(const struct label_processes *lp, uint32_t pid)
{
	const struct facet_entry *e = facet_found(&lp->facet, pid);
	const struct label_process *data = e ? e->data : NULL;

	return data && data->source && state_of(data) == LABEL_INCOMPLETE;
}

void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker)
{
	const struct chosen_source *choice = label_chosen(&lp->chosen, label_set_kind(set->id));
	const struct label_process *p = known(lp, set->tgid);

	if (choice)
		choice->source->take(p && p->source == choice->source ? p->names : NULL, set,
			choice->keys, taker);
}

void label_processes_take_own(
	const struct label_processes *lp, uint32_t pid, const struct label_taker *taker)
{
	const struct label_process *p = known(lp, pid);

	if (p && p->source && p->source->own && p->names)
		p->source->own(p->names, taker);
}
