/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drains the sums and frees data of ended processes, so that a recording can go on for days. */
#include "bpf_engine.h"
#include "lib/util.h"
#include "process/objects.h"

#include <stdlib.h>

enum {
	SWEEP_ADDED = 1 << 16, /* new mappings and processes that make a sweep due */
	SWEEP_S = 2,           /* least time between sweeps, which keep younger data */
	FILES_KEPT = 1 << 10,  /* open files, with their tables, that no process maps any more */
	FILES_LATE = 1 << 6,   /* the same if processes come by their samples */
	STEP_ROWS = 1 << 13,   /* rows that are condensed at once */
};

bool bpf_is_half_full(const struct bpf *b)
{
	struct counters now = bpf_counters(b);

	return drain_is_half_full(
		&b->drain, now.nodes - b->drained_nodes, now.rows - b->drained_rows);
}

/* Merges slices of time, or forgets old ones, if there are too many. */
static void limit_slices(struct bpf *b)
{
	const struct engine_request *r = b->request;
	struct samples *s = &b->samples;

	if (b->condense.to) /* it has rows that still have to be copied */
		return;
	while (r->slices_max && s->slices.nr > r->slices_max)
		samples_halve_slices(s);
	if (r->slices_last && s->slices.nr - s->forgotten > r->slices_last + r->slices_last / 4)
		samples_forget(s, s->slices.nr - r->slices_last);
}

void bpf_drain(struct bpf *b)
{
	struct counters now = bpf_counters(b);

	b->drained_nodes = now.nodes;
	b->drained_rows = now.rows;
	b->nr_drains++;
	drain_switch(&b->drain);
	bpf_take_names(b);
	drain_read(&b->drain);
	limit_slices(b);
}

void bpf_begin_condensing(struct bpf *b)
{
	condense_begin(&b->condense, &b->samples, &b->processes, condense_limits(), b->swept_ns);
	stack_copies_renumber(&b->copies, &b->condense);
	drain_renumber(&b->drain, &b->condense);
}

static bool is_sweep_due(const struct bpf *b)
{
	return b->window_ended || b->processes.nr_added - b->swept >= SWEEP_ADDED ||
	       condense_is_due(&b->samples) || label_sets_is_full(&b->label_sets) ||
	       memberships_is_half_full(&b->memberships);
}

static void begin_sweep(struct bpf *b, int64_t now)
{
	int64_t waiting = stack_copies_oldest(&b->copies);

	b->swept_ns = now - SWEEP_S * 1000000000LL;
	if (waiting < b->swept_ns)
		b->swept_ns = waiting;
	b->sweep_ns = now + SWEEP_S * 1000000000LL;
	bpf_end_processes(b);
	bpf_drain(b);
	bpf_drain(b);
	stack_copies_sweep(&b->copies);
}

/*
 * The data that the programs have stored is read before anything is freed. Data that they store
 * later belongs to mappings that were still published.
 */
static void end_sweep(struct bpf *b)
{
	struct processes *ps = &b->processes;
	bool *used = xcalloc(ps->nr_maps + 1, sizeof(*used));

	samples_mark_mappings(&b->samples, used, ps->nr_maps);
	drain_mark_mappings(&b->drain, used, ps->nr_maps);
	facets_sweep(&b->facets);
	if (b->window_ended || memberships_is_half_full(&b->memberships))
		memberships_sweep(&b->memberships, b->samples.tasks, b->samples.nr_tasks);
	if (b->vms.names_dropped)
		b->programs.control->forgotten++; /* the programs send frames again if they recur */
	b->vms.names_dropped = false;
	if (label_sets_is_full(&b->label_sets))
		label_sets_sweep(&b->label_sets, programs_map(&b->programs, "label_sent"));
	processes_sweep(ps, used, b->swept_ns);
	objects_mark(ps, b->swept_ns, b->spaces.late ? FILES_LATE : FILES_KEPT);
	loader_sweep(&b->loader);
	objects_sweep(ps);
	free(used);
	b->swept = ps->nr_added;
	b->window_ended = false;
}

void bpf_sweep(struct bpf *b)
{
	int64_t now = monotonic_ns();

	if (b->condense.to) {
		pace_relax(&b->pace);
		if (condense_step(&b->condense, STEP_ROWS))
			return;
		condense_end(&b->condense);
		bpf_drain(b);
		bpf_drain(b);
	} else if (now >= b->sweep_ns && is_sweep_due(b)) {
		begin_sweep(b, now);
	} else {
		return;
	}
	if (condense_is_due(&b->samples) && condense_has_room(&b->samples))
		bpf_begin_condensing(b);
	else
		end_sweep(b);
}

void bpf_end_condensing(struct bpf *b)
{
	if (b->condense.to)
		condense_end(&b->condense);
}
