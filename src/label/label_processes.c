/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "label_processes.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * What is searched is initialised some time after the process starts, and its layout is verified by
 * what comes later: so it is searched again, every AGAIN_MS during YOUNG_MS, then every LATER_MS,
 * though for no more than a hundredth of the time, as a server may have thousands of connections.
 * So is a process that was refused, for it runs while it is read. It is reported only if it is
 * refused again when it is no longer young: most of these are about to execute another program, or
 * have just done so and are not relocated yet.
 */
enum { YOUNG_MS = 1000, AGAIN_MS = 20, LATER_MS = 1000, PAUSE_TIMES = 100 /* a search */ };

void label_processes_init(struct label_processes *lp, const struct label_source *source,
	uint32_t keys, struct processes *ps, struct strbuf *refusals)
{
	*lp = (struct label_processes){
		.source = source, .keys = keys, .ps = ps, .map = -1, .refusals = refusals};
	table_init(&lp->by_pid);
}

static void forget_names(struct label_processes *lp, struct label_process *p)
{
	if (p->names)
		lp->source->close(p->names);
	p->names = NULL;
}

void label_processes_release(struct label_processes *lp)
{
	for (size_t i = 0; i < lp->nr; i++)
		forget_names(lp, &lp->list[i]);
	free(lp->list);
	free(lp->points);
	table_release(&lp->by_pid);
	*lp = (struct label_processes){0};
}

/* NULL: it was not looked at yet. */
static struct label_process *find_entry(const struct label_processes *lp, uint32_t pid)
{
	const uint32_t *at = table_get(&lp->by_pid, pid, 0);

	return at ? &lp->list[*at] : NULL;
}

/* The entry of P; that of an earlier process with its PID is replaced. */
static struct label_process *entry_of(struct label_processes *lp, const struct process *p)
{
	bool is_new;
	uint32_t *at = table_put(&lp->by_pid, p->pid, 0, &is_new);

	if (is_new) {
		*at = (uint32_t)lp->nr;
		ALLOC_GROW(lp->list, lp->nr, lp->alloc);
		lp->list[lp->nr++] = (struct label_process){0};
	}
	struct label_process *entry = &lp->list[*at];

	if (entry->process != p->id) {
		forget_names(lp, entry);
		*entry = (struct label_process){
			.pid = p->pid, .process = p->id, .began_ns = monotonic_ns()};
	}
	return entry;
}

static void update_map(const struct label_processes *lp, struct label_process *p)
{
	if (lp->map < 0)
		return;
	if (p->state != SOURCE_FOUND) {
		bpf_map_delete_elem(lp->map, &p->pid);
	} else if (bpf_map_update_elem(lp->map, &p->pid, &p->layout, BPF_ANY) && !p->is_reported) {
		p->is_reported = true;
		strbuf_addf(lp->refusals, "process %" PRIu32 ": too many processes with %s\n",
			p->pid, lp->source->title);
	}
}

static void report(struct label_processes *lp, struct label_process *p, const struct strbuf *why)
{
	p->is_reported = true;
	strbuf_addf(lp->refusals, "process %" PRIu32 ": %s\n", p->pid, why->buf);
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

		if (!probe_point_find(lp->ps, p, &t->memory,
			    file ? target_symbol(file, f->name) : 0, f->value, &new.point)) {
			f->is_missing = true;
		} else if (!has_point(lp, &new)) {
			ALLOC_GROW(lp->points, lp->nr_points, lp->points_alloc);
			lp->points[lp->nr_points++] = new;
		}
	}
}

/* FOUND and LAYOUT are what the source has found in P, which is T. */
static void take_result(struct label_processes *lp, const struct process *p, const struct target *t,
	const struct label_layout *layout, int found)
{
	struct label_process *entry = entry_of(lp, p);

	entry->state = !found ? SOURCE_FOUND : found > 0 ? SOURCE_NONE : SOURCE_REFUSED;
	if (found)
		return;
	entry->layout = *layout;
	if (!entry->names)
		entry->names = lp->source->open(t, layout);
	add_points(lp, p, t);
}

int label_processes_look(struct label_processes *lp, const struct process *p, struct strbuf *err)
{
	struct label_process *entry = entry_of(lp, p);
	struct label_layout layout;
	struct strbuf why = STRBUF_INIT;
	int64_t began_ns = monotonic_ns();
	struct target t;

	inspect_init(&t, lp->ps, p, NULL);
	int found = lp->source->find(&t, &layout, &why);

	entry->changes = p->changes;
	entry->looked_ns = monotonic_ns();
	entry->look_took_ns = entry->looked_ns - began_ns;
	/* a process that ends meanwhile keeps its state, and one that was found its layout */
	if (found < 0 && (entry->state == SOURCE_FOUND || !task_lives(p->pid, 0)))
		found = entry->state == SOURCE_FOUND ? 0 : 1;
	else
		take_result(lp, p, &t, &layout, found);
	if (found < 0)
		strbuf_add(err, why.buf, why.len);
	inspect_release(&t);
	strbuf_release(&why);
	lp->any |= entry->state == SOURCE_FOUND;
	update_map(lp, entry);
	return found;
}

int label_processes_find(struct label_processes *lp, bool must, struct strbuf *err)
{
	for (size_t i = 0; i < lp->ps->nr; i++) {
		const struct process *p = &lp->ps->list[i];
		struct strbuf why = STRBUF_INIT;

		if (label_processes_look(lp, p, &why) < 0)
			report(lp, entry_of(lp, p), &why);
		strbuf_release(&why);
	}
	if (lp->any || !must)
		return 0;
	if (lp->refusals->len) {
		strbuf_add(err, lp->refusals->buf, strcspn(lp->refusals->buf, "\n"));
		return -1;
	}
	return fail(err,
		"no %s runs in what is to be recorded: give the number of its master or "
		"of a worker",
		lp->source->title);
}

int label_processes_add_values(const struct label_processes *lp, void **values, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < lp->nr && !ret; i++) {
		const struct label_process *entry = &lp->list[i];
		const struct process *p = processes_known(lp->ps, entry->pid);
		struct target t;

		if (entry->state != SOURCE_FOUND || !p || p->id != entry->process ||
			!task_lives(p->pid, 0))
			continue;
		inspect_init(&t, lp->ps, p, NULL);
		ret = lp->source->add_values(values, &t, &entry->layout, entry->pid, err);
		inspect_release(&t);
	}
	return ret;
}

void label_processes_start(struct label_processes *lp, int map)
{
	lp->map = map;
	for (size_t i = 0; i < lp->nr; i++)
		update_map(lp, &lp->list[i]);
}

static bool is_young(const struct label_process *p)
{
	return monotonic_ns() - p->began_ns < YOUNG_MS * 1000000LL;
}

/* How long after a search the next one is due. */
static int64_t pause_ns(const struct label_process *p, enum label_state state)
{
	int64_t later_ns = LATER_MS * 1000000LL, share_ns = p->look_took_ns * PAUSE_TIMES;

	if (state == LABEL_INCOMPLETE && is_young(p))
		return AGAIN_MS * 1000000LL;
	return share_ns > later_ns ? share_ns : later_ns;
}

static bool is_due(const struct label_processes *lp, const struct label_process *entry,
	const struct process *p)
{
	enum label_state state = LABEL_INCOMPLETE;

	if (entry->state == SOURCE_NEW || entry->changes != p->changes)
		return true;
	if (entry->state == SOURCE_NONE)
		return false;
	if (entry->state == SOURCE_FOUND && entry->names)
		state = lp->source->state(&entry->layout);
	return state != LABEL_COMPLETE &&
	       monotonic_ns() - entry->looked_ns > pause_ns(entry, state);
}

bool label_processes_update(struct label_processes *lp)
{
	bool young = false;

	for (size_t i = 0; lp->source && i < lp->ps->nr; i++) {
		const struct process *p = &lp->ps->list[i];

		if (p->gone)
			continue;
		struct label_process *entry = entry_of(lp, p);
		bool was_refused = entry->state == SOURCE_REFUSED;
		struct strbuf why = STRBUF_INIT;

		young |= is_young(entry);
		if (is_due(lp, entry, p) && label_processes_look(lp, p, &why) < 0 && was_refused &&
			!is_young(entry) && !entry->is_reported)
			report(lp, entry, &why);
		strbuf_release(&why);
	}
	return young;
}

void label_processes_executed(struct label_processes *lp, uint32_t pid)
{
	struct label_process *p = find_entry(lp, pid);

	if (!p)
		return;
	forget_names(lp, p);
	p->state = SOURCE_NEW;
	p->is_reported = false;
	p->began_ns = monotonic_ns();
}

void label_processes_ended(struct label_processes *lp, uint32_t pid)
{
	if (lp->map >= 0)
		bpf_map_delete_elem(lp->map, &pid);
}

void label_processes_sweep(struct label_processes *lp)
{
	size_t kept = 0;
	bool is_new;

	table_release(&lp->by_pid);
	table_init(&lp->by_pid);
	for (size_t i = 0; i < lp->nr; i++) {
		struct label_process p = lp->list[i];

		if (!processes_known(lp->ps, p.pid)) {
			forget_names(lp, &p);
			continue;
		}
		*table_put(&lp->by_pid, p.pid, 0, &is_new) = (uint32_t)kept;
		lp->list[kept++] = p;
	}
	lp->nr = kept;
}

bool label_processes_found(const struct label_processes *lp, uint32_t pid)
{
	const struct label_process *p = find_entry(lp, pid);

	return p && p->state == SOURCE_FOUND;
}

bool label_processes_unused(const struct label_processes *lp, uint32_t pid)
{
	const struct label_process *p = find_entry(lp, pid);

	return p && p->state == SOURCE_FOUND && lp->source->state(&p->layout) == LABEL_INCOMPLETE;
}

void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker)
{
	const struct label_process *p = find_entry(lp, set->tgid);

	lp->source->take(p ? p->names : NULL, set, lp->keys, taker);
}
