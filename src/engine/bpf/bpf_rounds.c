/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A round handles the records that the programs and the kernel have sent, in the order of time. */
#include "bpf_engine.h"
#include "lib/limits/memory.h"
#include "lib/util.h"
#include "process/task.h"

enum { RESCAN_SHARE = 10 }; /* scanning all processes takes at most 1/10 of the time */

/* Takes the names of new frames. */
static void take_frames(struct bpf *b)
{
	for (size_t i = 0; i < b->ring.nr_frames; i++)
		vm_processes_take_frame(&b->vms, &b->ring.frames[i]);
	b->ring.nr_frames = 0;
}

/* Takes new sets of labels. */
static void take_labels(struct bpf *b)
{
	for (size_t i = 0; i < b->ring.nr_label_sets; i++)
		label_sets_add(&b->label_sets, &b->ring.label_sets[i]);
	b->ring.nr_label_sets = 0;
}

void bpf_take_names(struct bpf *b)
{
	ring_records_read(&b->ring);
	take_frames(b);
	take_labels(b);
}

/*
 * Returns whether PID is the command. A short command may have ended before its first sample
 * arrives, so its events are handled in any case.
 */
static bool is_command(const struct bpf *b, uint32_t pid)
{
	const struct engine_request *r = b->request;

	return r->command && bpf_walks_native(r) && pid == r->pids[0];
}

/* Returns whether the event is about a recorded process or one that becomes recorded. */
static bool is_relevant(struct bpf *b, const struct side_event *e)
{
	if (!e->pid)
		return false; /* outside of the recorder's PID namespace */
	if (bpf_is_open(b->request) || is_command(b, e->pid) ||
		processes_known(&b->processes, e->pid))
		return true;
	return e->kind == SIDE_FORK && b->request->children &&
	       processes_known(&b->processes, e->ppid);
}

/*
 * Returns the process of an event, or NULL if it does not matter. If all processes are recorded,
 * only the ones with samples matter.
 */
static struct process *process_of(struct bpf *b, const struct side_event *e)
{
	bool add = e->kind == SIDE_EXEC &&
		   (b->request->vms || b->request->labels.nr || is_command(b, e->pid));

	return add ? processes_get(&b->processes, e->pid) : processes_known(&b->processes, e->pid);
}

static void end_process(struct bpf *b, struct process *p, int64_t time_ns)
{
	facets_ended(&b->facets, p->pid);
	process_ended(&b->processes, p, time_ns);
}

/*
 * If processes come by their samples, a parent is also looked at when it forks, as its child may
 * end before its first sample is read.
 */
static void take_fork(struct bpf *b, const struct side_event *e)
{
	if (b->spaces.late && !processes_known(&b->processes, e->ppid))
		processes_get(&b->processes, e->ppid);
	processes_forked(&b->processes, e->ppid, e->pid, e->time_ns);
	facets_forked(&b->facets, e->ppid, e->pid, e->time_ns);
}

static void take_event(struct bpf *b, const struct side_event *e)
{
	struct process *p;

	if (memory_is_low() || !is_relevant(b, e))
		return; /* the recording ends with this round, or the process is not recorded */
	if (e->kind == SIDE_FORK) {
		take_fork(b, e);
		return;
	}
	p = process_of(b, e);
	if (p && e->kind == SIDE_EXEC)
		process_executed(&b->processes, p, e->time_ns);
	if (e->kind == SIDE_EXEC) {
		facets_executed(&b->facets, e->pid);
	} else if (!p) {
		return;
	} else if (e->kind == SIDE_MAP) {
		process_mapped(&b->processes, p,
			&(struct mapped){e->start, e->end, e->offset, e->writable, e->path,
				e->build_id, e->dev, e->inode},
			e->time_ns);
	} else {
		ALLOC_GROW(b->leaving, b->nr_leaving, b->leaving_alloc);
		b->leaving[b->nr_leaving++] = (struct leaving){p->pid, p->id};
	}
}

/*
 * Ends the processes that have exited. An exit event may come before the process's memory is freed,
 * and the main thread may exit before other threads, so each process is checked until it has ended.
 */
static void end_leaving(struct bpf *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->nr_leaving; i++) {
		const struct leaving *l = &b->leaving[i];
		struct process *p = processes_known(&b->processes, l->pid);

		if (!p || p->id != l->id)
			continue;
		if (task_lives(p->pid, p->start))
			b->leaving[kept++] = *l;
		else
			end_process(b, p, monotonic_ns());
	}
	b->nr_leaving = kept;
}

void bpf_end_processes(struct bpf *b)
{
	for (size_t i = 0; i < b->processes.nr; i++) {
		struct process *p = &b->processes.list[i];

		if (!p->gone && !task_lives(p->pid, p->start))
			end_process(b, p, monotonic_ns());
		pace_update(&b->pace);
	}
}

static void take_head(struct bpf *b, const struct ring_copy *head)
{
	struct process *p = processes_get(&b->processes, head->tgid);

	memberships_see(&b->memberships, head->tgid);
	if (!p->gone)
		spaces_check(&b->spaces, p, head->exec_pages, (int64_t)head->time);
	stack_copies_add(&b->copies, head, (size_t)(p - b->processes.list));
}

/* Scans all mappings again if events were lost. */
static void rescan(struct bpf *b)
{
	int64_t began = monotonic_ns(), cpu_began = cpu_time_ns();

	if (b->side.lost == b->lost_events || began < b->rescan_ns)
		return;
	b->lost_events = b->side.lost;
	for (size_t i = 0; i < b->processes.nr; i++) {
		struct process *p = &b->processes.list[i];

		if (!p->gone && !task_lives(p->pid, p->start))
			end_process(b, p, began);
		else if (!p->gone)
			process_scan(&b->processes, p, NULL);
		pace_update(&b->pace);
	}
	b->rescan_ns = began + RESCAN_SHARE * (cpu_time_ns() - cpu_began);
}

static void walk_waiting(struct bpf *b, const struct ring_vm_thread *thread)
{
	uint64_t names[VM_DEPTH];
	uint32_t nr;
	enum vm_end end = vm_processes_walk(
		&b->vms, thread->tgid, thread->thread, thread->sp, b->request->mixed, names, &nr);

	stack_copies_set(&b->copies, thread->copy,
		samples_stack(&b->samples, names, nr,
			language_stack(vm_processes_vm(&b->vms, thread->tgid)->language), end));
}

/*
 * Requests the unwind tables of processes with the interpreter or the labels. If user stacks are
 * recorded, their copies request the tables.
 */
static void request_tables(struct bpf *b)
{
	const struct engine_request *r = b->request;
	const struct unwind_table *table;

	if (!bpf_walks_native(r) || r->user)
		return;
	for (size_t i = 0; i < b->processes.nr; i++) {
		const struct process *p = &b->processes.list[i];

		if (!facet_found(&b->vms.facet, p->pid) && !facet_found(&b->labels.facet, p->pid))
			continue;
		for (size_t m = 0; m < p->nr_maps; m++)
			loader_request(&b->loader,
				loader_number(&b->loader, b->processes.maps[p->maps[m]].object),
				&table);
	}
}

/* Takes VM frames and waiting threads, after the events of their processes. */
static void take_vms(struct bpf *b)
{
	take_frames(b);
	for (size_t i = 0; i < b->ring.nr_waiting; i++)
		walk_waiting(b, &b->ring.waiting[i]);
	b->ring.nr_waiting = 0;
}

/* Publishes the changed processes. Those that may not be published yet stay in the list. */
static void publish_changes(struct bpf *b)
{
	struct processes *ps = &b->processes;
	size_t kept = 0;

	for (size_t i = 0; i < ps->nr_changed; i++) {
		struct process *p = &ps->list[ps->changed[i]];

		if (!p->gone && !spaces_update(&b->spaces, p))
			ps->changed[kept++] = ps->changed[i];
		else
			p->is_changed = false;
		pace_update(&b->pace);
	}
	ps->nr_changed = kept;
}

/* Handles events and copies in the order of time. */
static void take_events(struct bpf *b)
{
	size_t at = 0;

	for (size_t i = 0; i < b->ring.nr_heads; i++) {
		while (at < b->side.nr &&
			b->side.events[at].time_ns <= (int64_t)b->ring.heads[i].time)
			take_event(b, &b->side.events[at++]);
		take_head(b, &b->ring.heads[i]);
		pace_update(&b->pace);
	}
	while (at < b->side.nr) {
		take_event(b, &b->side.events[at++]);
		pace_update(&b->pace);
	}
	b->ring.nr_heads = 0;
	sideband_drop(&b->side, at);
}

void bpf_take_round(struct bpf *b)
{
	pace_update(&b->pace);
	ring_records_read(&b->ring);
	sideband_read(&b->side);
	take_events(b);
	end_leaving(b);
	rescan(b);
	targets_update(&b->targets, &b->programs);
	b->young = facets_update(&b->facets);
	take_vms(b);
	while (bpf_attach_points(b, &b->labels.facet.refusals))
		strbuf_addch(&b->labels.facet.refusals, '\n');
	take_labels(b);
	request_tables(b);
	publish_changes(b);
	if (loader_receive(&b->loader))
		stack_copies_unwind(&b->copies, false);
}
