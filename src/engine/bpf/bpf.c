/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The built-in engine: BPF programs take stacks, unwind them by our unwind tables and sum them. */
#include "counters.h"
#include "created_pools.h"
#include "drain.h"
#include "engine/collect.h"
#include "engine/condense.h"
#include "engine/engine.h"
#include "engine/jit/jvms.h"
#include "engine/memberships.h"
#include "lib/limits/memory.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "loader.h"
#include "map_entries.h"
#include "pace.h"
#include "process/objects.h"
#include "process/task.h"
#include "programs.h"
#include "ring_records.h"
#include "sideband.h"
#include "spaces.h"
#include "stack_copies.h"
#include "symbol/names/kallsyms.h"
#include "targets.h"
#include "label/label_processes.h"
#include "vm/vm_processes.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	POOL_MAX = 512 << 20,  /* bytes of unwind tables in the kernel */
	PREPARE_MS = 500,      /* for the tables of mapped files, before the first tick */
	MEMBERSHIPS_MS = 100,  /* for the cgroups of all processes, likewise */
	YOUNG_MS = 10,         /* between two searches for an interpreter in a new process */
	FINISH_S = 20,         /* for tables that are still being built */
	RESCAN_SHARE = 10,     /* scanning all processes takes at most one in so much of the time */
	SWEEP_ADDED = 1 << 16, /* new mappings and processes between two sweeps, … */
	SWEEP_S = 2,           /* … which are so far apart, and keep what is younger */
	FILES_KEPT = 1 << 10,  /* open, and their tables, when no process maps them any more */
	POOL_PART = 8,         /* of a memory limit */
	LIMIT_MIN = 64 << 20,  /* bytes; what surely suffices to start */
};

struct bpf {
	struct engine engine;
	const struct engine_request *request;
	struct targets targets;
	struct programs programs;
	struct sideband side;
	struct pool pool;
	struct loader loader;
	struct jit_layouts layouts;
	struct spaces spaces;
	struct processes processes;
	struct vm_processes vms;
	struct label_processes labels;
	struct label_sets label_sets;
	struct memberships memberships;
	struct samples samples;
	struct stack_copies copies;
	struct drain drain;
	struct ring_records ring;
	struct counters *counters; /* by processor and lane; memory that the programs write */
	size_t nr_cpus;
	bool vms_young, labels_young;
	struct kallsyms *kallsyms;
	struct strbuf no_kallsyms; /* why there are none */
	int waits;                 /* fd of their map, -1: there is none */
	struct created_pools pools;
	size_t nr_points;                     /* of labels.points that have a probe */
	struct strbuf no_vm, no_labels;       /* why, one process a line */
	struct strbuf no_waits;               /* why waiting threads were not scanned */
	uint64_t drained_nodes, drained_rows; /* counters at the last drain */
	uint64_t nr_drains;
	uint64_t lost_events; /* for which mappings were scanned again */
	int64_t rescan_ns;    /* not before */
	uint64_t swept;       /* processes.nr_added at the last sweep */
	int64_t sweep_ns;     /* not before */
	struct pace pace;
	uint64_t began;    /* CLOCK_MONOTONIC, ns: the first event may have come */
	uint64_t duration; /* ns, from then until the last; known when stopped */
	bool started, waited, stopped;
	bool no_memory; /* left: that is why it stopped */
};

static size_t possible_cpus(void)
{
	int nr = libbpf_num_possible_cpus();

	return nr > 0 ? (size_t)nr : 1;
}

static size_t whole_pages(size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (size + page - 1) / page * page;
}

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

/* Takes the names of frames and the labels of the rows that are about to be drained. */
static void take_names(void *context)
{
	struct bpf *b = context;

	ring_records_read(&b->ring);
	take_frames(b);
	take_labels(b);
}

static struct drain_pair map_pair(const struct programs *p, const char *nodes, const char *rows)
{
	return (struct drain_pair){programs_map(p, nodes), programs_map(p, rows)};
}

static void add_event(struct bpf *b)
{
	const struct tool *tool = b->request->tool;

	b->drain.events[ROW_SAMPLES] = samples_event(
		&b->samples, &(struct sample_event){tool->event, tool->unit, tool->clock,
				     b->programs.tick ? 1000000000 / programs_hz(b->request) : 0,
				     tool_divisor(tool)});
	if (b->request->count_ends) {
		const char *ends = b->request->label->ends;

		b->drain.events[ROW_ENDS] = samples_event(
			&b->samples, &(struct sample_event){ends, ends, tool->clock, 0, 1});
	}
	for (uint32_t i = 0; b->waits >= 0 && i < WAIT_NONE; i++)
		b->drain.labels[WAIT_LABEL(i)] = samples_label(
			&b->samples, 0, "state", (const char[]){WAIT_LETTERS[i], '\0'});
	const char *const *states = b->request->vm ? b->request->vm->states : NULL;

	for (uint32_t i = 1; states && states[i]; i++)
		b->drain.labels[VM_LABEL(i)] = samples_label(&b->samples, 0, "vmstate", states[i]);
}

/* The map of what has begun and not ended yet. */
static struct drain_held held_map(const struct bpf *b)
{
	if (b->waits >= 0)
		return (struct drain_held){
			b->waits, sizeof(uint32_t), sizeof(struct wait), WAITS_MAX};
	return (struct drain_held){
		b->pools.map, sizeof(struct pool_key), sizeof(struct created_pool), POOLS_MAX};
}

static int connect_maps(struct bpf *b, struct strbuf *err)
{
	const struct programs *p = &b->programs;

	pool_init(&b->pool, programs_map(p, "pool"), memory_share(POOL_MAX, POOL_PART));
	b->loader.pool = &b->pool;
	b->loader.descs =
		programs_map_memory(p, "tables", TABLES_MAX * sizeof(struct table_desc), true);
	b->counters = programs_map_memory(
		p, "counters", whole_pages(b->nr_cpus * LANES * sizeof(*b->counters)), false);
	b->layouts.map = programs_map(p, "jit_layouts");
	spaces_init(&b->spaces, &b->processes, &b->pool, &b->loader, &b->layouts,
		programs_map(p, "spaces"));
	b->drain.samples = &b->samples;
	b->drain.vms = &b->vms;
	b->drain.label_sets = &b->label_sets;
	b->drain.on_switch = take_names;
	b->drain.context = b;
	b->drain.copies = &b->copies;
	b->drain.epoch = &p->control->epoch;
	b->drain.nodes = programs_map(p, "nodes");
	b->drain.rows = programs_map(p, "rows");
	b->drain.nr_nodes = p->nr_nodes;
	b->drain.nr_rows = p->nr_rows;
	b->drain.maps[0] = map_pair(p, "nodes_0", "rows_0");
	b->drain.maps[1] = map_pair(p, "nodes_1", "rows_1");
	b->waits = programs_map(p, "waits");
	drain_init(&b->drain);
	add_event(b);
	created_pools_init(&b->pools, programs_map(p, "pools"), &b->drain, &b->processes);
	b->drain.held = held_map(b);
	if (!b->loader.descs || !b->counters ||
		ring_records_open(&b->ring, programs_map(p, "ring"), &b->copies))
		return fail(err, "cannot share memory with the BPF programs: %s", strerror(errno));
	b->loader.descs[0].is_final = true; /* of mappings without a file */
	return 0;
}

/* Any process may become one that is recorded. */
static bool is_open(const struct engine_request *r)
{
	return r->all || r->selection.kind;
}

/*
 * Fails without the interpreter in any target, unless processes that start later are recorded, too.
 */
static int find_vm(struct bpf *b, struct strbuf *err)
{
	const struct engine_request *r = b->request;
	bool must = !is_open(r) && !r->children, refused = false;
	size_t nr_found = 0;

	if (r->command)
		processes_get(&b->processes, r->pids[0]); /* so that its events are handled */
	for (size_t i = 0; i < b->processes.nr; i++) {
		const struct process *p = &b->processes.list[i];
		struct strbuf why = STRBUF_INIT;
		int found = vm_processes_look(&b->vms, p, &why);

		nr_found += !found;
		refused |= found < 0;
		if (found < 0)
			strbuf_addf(&b->no_vm, "process %" PRIu32 ": %s\n", p->pid, why.buf);
		else if (found > 0 && must)
			strbuf_addf(&b->no_vm, "no %s runs in process %" PRIu32 "\n", r->vm->title,
				p->pid);
		strbuf_release(&why);
	}
	if (nr_found || !must)
		return 0;
	strbuf_add(err, b->no_vm.buf, strcspn(b->no_vm.buf, "\n"));
	return refused ? -1
		       : fail(err, "; give the number of a process that runs %s", r->vm->title);
}

/* Fails where no target has the source of labels, nor can any that starts later. */
static int find_labels(struct bpf *b, struct strbuf *err)
{
	const struct engine_request *r = b->request;

	return label_processes_find(
		&b->labels, !is_open(r) && !r->command && !r->label_is_optional, err);
}

/*
 * Probes functions of the source of labels in files that were found since the last call. -1 and
 * ERR: one of them not; the next call goes on with the next one.
 */
static int attach_points(struct bpf *b, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	int ret = 0;

	while (!ret && b->nr_points < b->labels.nr_points) {
		const struct label_point *point = &b->labels.points[b->nr_points++];
		const struct label_function *f = &b->labels.functions[point->function];

		ret = programs_attach_at(&b->programs, f->program, &point->point, &why);
		if (ret)
			fail(err, "cannot count calls of %s: %s", f->name, why.buf);
	}
	strbuf_release(&why);
	return ret;
}

/* Names the functions to the source of labels. */
static void choose_functions(struct bpf *b)
{
	const struct engine_request *r = b->request;

	for (size_t i = 0; i < r->tool->nr_functions; i++) {
		const struct tool_function *f = &r->tool->functions[i];

		label_processes_probe(
			&b->labels, &(struct label_function){f->name, f->program,
					    f->at_result ? PROBE_RESULT : PROBE_ARGUMENTS, false});
	}
	b->labels.count_ends = r->count_ends;
	if (r->count_ends)
		label_processes_probe(&b->labels,
			&(struct label_function){r->label->end, "on_end", PROBE_ARGUMENTS, false});
}

static bool has_point(const struct label_processes *lp, size_t function)
{
	for (size_t i = 0; i < lp->nr_points; i++)
		if (lp->points[i].function == function)
			return true;
	return false;
}

/* Fails if a function that the tool needs is known in none of the processes. */
static int need_functions(const struct bpf *b, struct strbuf *err)
{
	for (size_t i = 0; i < b->request->tool->nr_functions; i++) {
		const struct label_function *f = &b->labels.functions[i];

		if (f->is_missing && !has_point(&b->labels, i))
			return fail(err,
				"%s cannot be probed: this %s does not export it, or was built "
				"with optimisations that leave no known place in its code",
				f->name, b->request->label->title);
	}
	return 0;
}

static void bpf_free(struct engine *engine)
{
	struct bpf *b = (struct bpf *)engine;

	if (!b)
		return;
	pace_stop(&b->pace);
	sideband_close(&b->side);
	ring_records_release(&b->ring);
	loader_release(&b->loader);
	spaces_release(&b->spaces);
	jit_layouts_release(&b->layouts);
	stack_copies_release(&b->copies);
	created_pools_release(&b->pools);
	drain_release(&b->drain);
	samples_release(&b->samples);
	pool_release(&b->pool);
	programs_release(&b->programs);
	targets_release(&b->targets);
	vm_processes_release(&b->vms);
	label_sets_release(&b->label_sets);
	label_processes_release(&b->labels);
	memberships_release(&b->memberships);
	processes_release(&b->processes);
	kallsyms_free(b->kallsyms);
	strbuf_release(&b->no_kallsyms);
	strbuf_release(&b->no_vm);
	strbuf_release(&b->no_labels);
	strbuf_release(&b->no_waits);
	free(b);
}

/* Raises the limit of open files: all files of the targets stay open. */
static void allow_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static uint32_t add_name(void *context, const struct vm_name *name)
{
	struct bpf *b = context;
	struct samples *s = &b->samples;

	return samples_name(s,
		&(struct sample_name){
			.what = name->what,
			.function = name->function ? strpool_adds(&s->strings, name->function) : 0,
			.file = name->file ? strpool_adds(&s->strings, name->file) : 0,
			.line = name->line,
			.first_line = name->first_line,
		});
}

static uint64_t code_frame(void *context, uint32_t pid, uint64_t address)
{
	struct bpf *b = context;
	const struct process *p = processes_get(&b->processes, pid);

	return samples_user_frame(
		&b->processes, process_find(&b->processes, p, address), address, false);
}

static struct engine *bpf_new(struct engine_request *request, struct strbuf *err)
{
	if (!programs_exist(request->tool)) {
		fail(err, "the built-in engine has no program for '%s': use --engine stap",
			request->tool->name);
		return NULL;
	}
	struct bpf *b = xcalloc(1, sizeof(*b));

	b->engine.ops = &bpf_engine;
	b->request = request;
	pace_start(&b->pace);
	b->programs.log = b->no_kallsyms = b->no_vm = b->no_labels = b->no_waits =
		(struct strbuf)STRBUF_INIT;
	b->nr_cpus = possible_cpus();
	allow_files();
	processes_init(&b->processes);
	memberships_init(&b->memberships, is_open(request) ? "/proc" : NULL);
	jit_layouts_init(&b->layouts, &b->processes);
	vm_processes_init(&b->vms, request->vm, &b->processes,
		&(struct vm_names){add_name, code_frame, b}, &b->no_vm);
	b->vms.fetch = request->fetch;
	label_processes_init(
		&b->labels, request->label, request->label_keys, &b->processes, &b->no_labels);
	choose_functions(b);
	samples_init(&b->samples);
	label_sets_init(&b->label_sets, &b->samples, &b->labels, request->label_values);
	loader_init(&b->loader, &b->processes);
	stack_copies_init(&b->copies, &b->processes, &b->loader, &b->samples);
	b->copies.layouts = &b->layouts;
	if (targets_scan(&b->targets, request, &b->processes,
		    monotonic_ns() + PREPARE_MS * 1000000LL, err) ||
		(request->vm && find_vm(b, err)) ||
		(request->label && (find_labels(b, err) || need_functions(b, err)))) {
		bpf_free(&b->engine);
		return NULL;
	}
	return &b->engine;
}

static void bpf_describe(const struct engine *engine, FILE *out)
{
	(void)engine;
	fputs("# the BPF programs are built in; their source is src/engine/bpf/kern\n", out);
}

/* CLOCK_MONOTONIC at which the programs end the recording, as we may stop it late. */
static uint64_t end_time(const struct engine_request *r)
{
	return r->seconds > 0 && r->seconds < 1e9
		       ? (uint64_t)monotonic_ns() + (uint64_t)(r->seconds * 1e9)
		       : UINT64_MAX;
}

/*
 * Builds the tables of files mapped at the start before the first tick, unless that would delay it
 * noticeably.
 */
static void prepare_tables(struct bpf *b)
{
	int64_t end = monotonic_ns() + PREPARE_MS * 1000000LL;
	struct pollfd fds[BUILDERS_MAX];

	loader_request_all(&b->loader, !b->request->all);
	while (loader_nr_pending(&b->loader) && monotonic_ns() < end) {
		poll(fds, loader_poll(&b->loader, fds), PREPARE_MS / 10);
		loader_receive(&b->loader);
	}
}

static int open_events(struct bpf *b, struct strbuf *err)
{
	const struct bpf_program *tick = b->programs.tick;

	if (sideband_open(&b->side, tick ? programs_hz(b->request) : 0, b->request->vm, err))
		return -1;
	return tick ? sideband_attach(&b->side, bpf_program__fd(tick), err) : 0;
}

/* Whether native stacks are walked: recorded, or to where an interpreter is. */
static bool walks_native(const struct engine_request *r)
{
	return r->user || r->label || (r->vm && r->vm->by_native);
}

/* A short command may have ended before its first sample arrives: its events are of use anyway. */
static bool is_command(const struct bpf *b, uint32_t pid)
{
	const struct engine_request *r = b->request;

	return r->command && walks_native(r) && pid == r->pids[0];
}

/* True for events of recorded processes and of those that become recorded. */
static bool is_relevant(struct bpf *b, const struct side_event *e)
{
	if (!e->pid)
		return false; /* outside of our PID namespace */
	if (is_open(b->request) || is_command(b, e->pid) || processes_known(&b->processes, e->pid))
		return true;
	return e->kind == SIDE_FORK && b->request->children &&
	       processes_known(&b->processes, e->ppid);
}

/* The process of an event; NULL: with all processes recorded, only those with samples matter. */
static struct process *process_of(struct bpf *b, const struct side_event *e)
{
	bool add = e->kind == SIDE_EXEC &&
		   (b->request->vm || b->request->label || is_command(b, e->pid));

	return add ? processes_get(&b->processes, e->pid) : processes_known(&b->processes, e->pid);
}

static void end_process(struct bpf *b, struct process *p, int64_t time_ns)
{
	spaces_remove(&b->spaces, p);
	vm_processes_ended(&b->vms, p->pid);
	label_processes_ended(&b->labels, p->pid);
	created_pools_ended(&b->pools, p->pid);
	process_ended(&b->processes, p, time_ns);
}

/*
 * Of user stacks the first one of a process asks for its mappings, and its cgroup is read then; of
 * kernel stacks the process may be gone when they come.
 */
static void see_membership(struct bpf *b, const struct side_event *e)
{
	if (e->kind == SIDE_FORK) {
		memberships_forked(&b->memberships, e->pid);
		if (!b->request->user)
			memberships_see(&b->memberships, e->pid);
	} else if (e->kind == SIDE_EXEC) {
		memberships_executed(&b->memberships, e->pid);
	}
}

static void take_event(struct bpf *b, const struct side_event *e)
{
	struct process *p;

	if (memory_is_low() || !is_relevant(b, e))
		return; /* the recording ends with this round, or is about others */
	see_membership(b, e);
	if (e->kind == SIDE_FORK) {
		processes_forked(&b->processes, e->ppid, e->pid, e->time_ns);
		vm_processes_forked(&b->vms, e->ppid, e->pid);
		return;
	}
	p = process_of(b, e);
	if (!p)
		return;
	if (e->kind == SIDE_EXEC) {
		process_executed(&b->processes, p, e->time_ns);
		spaces_executed(&b->spaces, p);
		vm_processes_executed(&b->vms, e->pid);
		label_processes_executed(&b->labels, e->pid);
		created_pools_ended(&b->pools, e->pid);
	} else if (e->kind == SIDE_MAP) {
		process_mapped(&b->processes, p,
			&(struct mapped){e->start, e->end, e->offset, e->writable, e->path,
				e->build_id, e->dev, e->inode},
			e->time_ns);
	} else if (!task_lives(e->pid, 0)) {
		end_process(b, p, e->time_ns);
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

/* After lost events: scans all mappings. */
static void rescan(struct bpf *b)
{
	int64_t began = monotonic_ns(), cpu_began = cpu_time_ns();

	if (b->side.lost == b->lost_events || began < b->rescan_ns)
		return;
	b->lost_events = b->side.lost;
	for (size_t i = 0; i < b->processes.nr; i++) {
		struct process *p = &b->processes.list[i];

		if (!p->gone && process_scan(&b->processes, p, NULL) &&
			!task_lives(p->pid, p->start))
			end_process(b, p, began);
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
		samples_stack(&b->samples, names, nr, b->request->vm->stack, end));
}

/*
 * Requests the unwind tables of processes with the interpreter or the labels; with user stacks,
 * copies do.
 */
static void request_tables(struct bpf *b)
{
	const struct engine_request *r = b->request;
	const struct unwind_table *table;

	if (!walks_native(r) || r->user)
		return;
	for (size_t i = 0; i < b->processes.nr; i++) {
		const struct process *p = &b->processes.list[i];

		if (!vm_processes_found(&b->vms, p->pid) &&
			!label_processes_found(&b->labels, p->pid))
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
	if (!b->request->vm)
		return;
	b->vms_young = vm_processes_update(&b->vms);
	take_frames(b);
	for (size_t i = 0; i < b->ring.nr_waiting; i++)
		walk_waiting(b, &b->ring.waiting[i]);
	b->ring.nr_waiting = 0;
}

/* Publishes what has changed; what may not be published yet stays in the list. */
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

static void take_round(struct bpf *b)
{
	pace_update(&b->pace);
	ring_records_read(&b->ring);
	sideband_read(&b->side);
	take_events(b);
	rescan(b);
	targets_update(&b->targets, &b->programs);
	take_vms(b);
	b->labels_young = label_processes_update(&b->labels);
	while (attach_points(b, &b->no_labels))
		strbuf_addch(&b->no_labels, '\n');
	take_labels(b);
	request_tables(b);
	publish_changes(b);
	spaces_retry_layouts(&b->spaces);
	if (loader_receive(&b->loader))
		stack_copies_unwind(&b->copies, false);
}

/* A failure to start is likely to come from it. */
static void mention_limit(struct strbuf *err)
{
	if (memory_limit() < LIMIT_MIN)
		fail(err, "; memory is limited to %" PRIu64 " MiB: allow at least %d MiB",
			memory_limit() >> 20, LIMIT_MIN >> 20);
}

static int bpf_start(struct engine *engine, struct strbuf *err)
{
	struct bpf *b = (struct bpf *)engine;
	const struct engine_request *r = b->request;

	memory_reserve();
	if (programs_load(&b->programs, r, &b->targets, b->nr_cpus, err) || connect_maps(b, err) ||
		targets_publish(&b->targets, &b->programs, err) || open_events(b, err) ||
		programs_attach(&b->programs, err) || attach_points(b, err) ||
		targets_publish_children(&b->targets, &b->programs, &b->processes, err)) {
		mention_limit(err);
		strbuf_addch(err, '\n');
		return -1;
	}
	for (size_t i = 0; i < b->processes.nr; i++)
		spaces_update(&b->spaces, &b->processes.list[i]);
	if (walks_native(r))
		prepare_tables(b);
	memberships_see_all(&b->memberships, monotonic_ns() + MEMBERSHIPS_MS * 1000000LL);
	sideband_enable(&b->side, true);
	b->began = (uint64_t)monotonic_ns();
	b->programs.control->until = end_time(r);
	targets_scan_all(&b->targets, &b->processes, monotonic_ns() + PREPARE_MS * 1000000LL);
	for (size_t i = 0; i < b->processes.nr; i++) {
		process_scan(&b->processes, &b->processes.list[i], NULL);
		spaces_update(&b->spaces, &b->processes.list[i]);
		pace_update(&b->pace);
	}
	if (r->vm)
		vm_processes_start(&b->vms, programs_map(&b->programs, "vm_layouts"));
	if (r->label)
		label_processes_start(&b->labels, programs_map(&b->programs, "label_layouts"));
	if (b->programs.scan) {
		programs_scan_tasks(&b->programs, &b->no_waits);
		take_round(b); /* before the threads change their memory */
	}
	if (r->kernel)
		b->kallsyms = kallsyms_new(&b->no_kallsyms);
	b->started = true;
	return 0;
}

static struct counters sum_counters(const struct bpf *b)
{
	return counters_sum(b->counters, b->nr_cpus * LANES);
}

static bool is_half_full(const struct bpf *b)
{
	struct counters now = sum_counters(b);

	return now.nodes - b->drained_nodes > b->drain.nr_nodes / 2 ||
	       now.rows - b->drained_rows > b->drain.nr_rows / 2;
}

static void drain(struct bpf *b)
{
	struct counters now = sum_counters(b);

	b->drained_nodes = now.nodes;
	b->drained_rows = now.rows;
	b->nr_drains++;
	drain_run(&b->drain);
}

/* Mappings that ended before TIME_NS are merged. */
static void condense(struct bpf *b, int64_t time_ns)
{
	struct condense c;

	condense_begin(&c, &b->samples, &b->processes, condense_limits(), time_ns);
	stack_copies_sweep(&b->copies, &c);
	drain_renumber(&b->drain, &c);
	condense_end(&c);
}

/* So that the programs send the frames of processes that have been forgotten, if any come again. */
static void forget_sent(const struct bpf *b)
{
	struct map_entries e = {.key_size = sizeof(struct vm_key),
		.value_size = sizeof(uint32_t),
		.max = VM_SENT_MAX};
	int sent = programs_map(&b->programs, "vm_sent");

	e.keys = xcalloc(e.max, e.key_size);
	e.values = xcalloc(e.max, e.value_size);
	map_entries_read(&e, sent, false);
	for (uint32_t i = 0; i < e.nr; i++) {
		const struct vm_key *key = (const struct vm_key *)e.keys + i;

		if (!vm_processes_has(&b->vms, key->tgid))
			bpf_map_delete_elem(sent, key);
	}
	free(e.keys);
	free(e.values);
}

static bool is_sweep_due(const struct bpf *b)
{
	return b->processes.nr_added - b->swept >= SWEEP_ADDED || condense_is_due(&b->samples) ||
	       label_sets_is_full(&b->label_sets);
}

/*
 * Frees what ended some time ago and is in no stack. Those of the programs have to be read before;
 * what they store from then on is of mappings that were still published.
 */
static void sweep(struct bpf *b)
{
	struct processes *ps = &b->processes;
	int64_t now = monotonic_ns(), before = now - SWEEP_S * 1000000000LL;
	int64_t waiting = stack_copies_oldest(&b->copies);

	if (now < b->sweep_ns || !is_sweep_due(b))
		return;
	if (waiting < before)
		before = waiting;
	drain(b);
	drain(b);
	if (condense_is_due(&b->samples))
		condense(b, before);
	else
		stack_copies_sweep(&b->copies, NULL);
	bool *used = xcalloc(ps->nr_maps + 1, sizeof(*used));

	samples_mark_mappings(&b->samples, used, ps->nr_maps);
	drain_mark_mappings(&b->drain, used, ps->nr_maps);
	if (vm_processes_sweep(&b->vms))
		forget_sent(b);
	label_processes_sweep(&b->labels);
	if (label_sets_is_full(&b->label_sets))
		label_sets_sweep(&b->label_sets, programs_map(&b->programs, "label_sent"));
	processes_sweep(ps, used, before);
	objects_mark(ps, before, FILES_KEPT);
	loader_sweep(&b->loader);
	objects_sweep(ps);
	free(used);
	b->swept = ps->nr_added;
	b->sweep_ns = now + SWEEP_S * 1000000000LL;
}

static void wait_for_input(struct bpf *b, int timeout_ms)
{
	struct pollfd *fds = xcalloc(b->side.nr_cpus + 1 + BUILDERS_MAX, sizeof(*fds));
	nfds_t nr = 0;

	for (size_t i = 0; i < b->side.nr_cpus; i++)
		fds[nr++] = (struct pollfd){.fd = b->side.cpus[i].fd, .events = POLLIN};
	fds[nr++] = (struct pollfd){.fd = ring_buffer__epoll_fd(b->ring.ring), .events = POLLIN};
	nr += loader_poll(&b->loader, fds + nr);
	poll(fds, nr, timeout_ms);
	free(fds);
}

static void bpf_stop(struct engine *engine)
{
	struct bpf *b = (struct bpf *)engine;

	uint64_t now = (uint64_t)monotonic_ns();

	sideband_enable(&b->side, false);
	if (b->programs.control->until > now)
		b->programs.control->until = now;
	b->duration = b->programs.control->until - b->began;
	created_pools_read(&b->pools);
	programs_detach(&b->programs);
	created_pools_check(&b->pools);
	b->stopped = true;
}

static enum engine_state bpf_wait(struct engine *engine, int timeout_ms)
{
	struct bpf *b = (struct bpf *)engine;

	if (b->stopped)
		return ENGINE_ENDED;
	if ((b->vms_young || b->labels_young) && timeout_ms > YOUNG_MS)
		timeout_ms = YOUNG_MS;
	/* the first call reports at once that the recording runs */
	wait_for_input(b, b->waited ? timeout_ms : 0);
	b->waited = true;
	take_round(b);
	if (b->request->jvms)
		jvms_update(b->request->jvms, &b->processes);
	if (is_half_full(b))
		drain(b);
	sweep(b);
	if (memory_is_low()) {
		bpf_stop(engine);
		b->no_memory = true;
		return ENGINE_ENDED;
	}
	return ENGINE_READY;
}

/* Takes the rest: records in the ring buffers, tables being built, both halves of the sums. */
static void take_rest(struct bpf *b)
{
	int64_t end = monotonic_ns() + FINISH_S * 1000000000LL;

	take_round(b);
	while (b->copies.nr && loader_nr_pending(&b->loader) && monotonic_ns() < end) {
		wait_for_input(b, 100);
		take_round(b);
	}
	stack_copies_unwind(&b->copies, true);
	drain(b);
	drain(b);
	drain_delayed(&b->drain, programs_map(&b->programs, "delayed"));
	if (b->waits >= 0)
		drain_waits(&b->drain, &b->programs.settings, b->programs.control->until);
	created_pools_add(&b->pools, b->programs.settings.option[POOL_OPTION_MIN_AGE] * 1000000000,
		b->programs.control->until);
}

static void say_figures(const struct bpf *b, const struct counters *c)
{
	fprintf(stderr,
		"%" PRIu64 " ticks, %" PRIu64 " on the target, %" PRIu64
		" stacks unwound in user space; %" PRIu64
		" stacks found no room for a copy, %" PRIu64
		" of them count at the next stacks of their thread\n",
		c->ticks, c->hits, b->copies.nr_copies, c->copies_lost, c->delayed);
	fprintf(stderr,
		"unwind tables: %u files, %" PRIu64 " rows, %" PRIu64 " KiB; %" PRIu64
		" KiB of at most %d MiB shared with the kernel; %u without room\n",
		b->loader.nr - 1 - (uint32_t)b->loader.nr_unused, b->loader.rows,
		b->loader.blocks * (UNWIND_BLOCK / 1024), pool_bytes(&b->pool) >> 10,
		(int)(memory_share(POOL_MAX, POOL_PART) >> 20), b->loader.nr_unplaced);
	fprintf(stderr,
		"kept at the end: %zu processes, %zu mappings and %zu files; %zu tasks, %zu stacks "
		"and %zu rows with samples\n",
		b->processes.nr - b->processes.nr_unused,
		b->processes.nr_maps - b->processes.nr_free,
		b->processes.nr_objects - b->processes.nr_unused_objects, b->samples.nr_tasks,
		b->samples.nr_stacks, b->samples.nr_rows);
	fprintf(stderr,
		"sums: room for %u stacks' nodes and %u rows, twice; drained %" PRIu64 " times\n",
		b->drain.nr_nodes, b->drain.nr_rows, b->nr_drains);
}

/* All that only recording needs: the memory is needed for the result. */
static void release_recorder(struct bpf *b)
{
	ring_records_release(&b->ring);
	loader_release(&b->loader);
	pool_release(&b->pool);
	programs_release(&b->programs);
	b->programs = (struct programs){.log = STRBUF_INIT};
}

/* From the first tick on: with -a the session learns of it only after many mappings have been read.
 */
static void add_seconds(const struct bpf *b, struct recording *rec)
{
	char *seconds = xasprintf("%.3f", (double)b->duration / 1e9);

	recording_add_meta(rec, "seconds", seconds);
	free(seconds);
}

/* What is missing of the labels, and of what is counted by them. */
static void note_labels(const struct bpf *b, const struct counters *counters, struct strbuf *notes)
{
	const struct label_source *label = b->request->label;

	strbuf_add(notes, b->no_labels.buf, b->no_labels.len);
	if (label && !b->labels.any)
		strbuf_addf(notes, "no %s ran in what was recorded\n", label->title);
	for (size_t i = 0; i < b->labels.nr_functions; i++)
		if (b->labels.functions[i].is_missing)
			strbuf_addf(notes,
				"calls of %s are not all counted: a process does not have it, or "
				"its code is not known\n",
				b->labels.functions[i].name);
	if (counters->ends_lost)
		strbuf_addf(notes,
			"%" PRIu64 " %s were not counted: the kernel switched to their threads "
			"while it counted another one\n",
			counters->ends_lost, label->ends);
}

static int bpf_finish(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct bpf *b = (struct bpf *)engine;

	take_rest(b);
	struct counters counters = sum_counters(b);

	if (b->loader.nr_builders && loader_is_hopeless(&b->loader))
		strbuf_adds(notes, "stacks are cut: a process that builds unwind tables cannot be "
				   "confined here, as prctl or setresuid is refused\n");

	if (b->request->verbose)
		say_figures(b, &counters);
	release_recorder(b);
	recording_add_meta(rec, "title", b->request->tool->title);
	recording_add_meta(rec, "engine", "bpf");
	add_seconds(b, rec);
	add_capped(&b->samples.lost[LOST_TABLE_FULL], counters.rows_full + counters.nodes_full +
							      counters.waits_full +
							      counters.pools_full);
	if (counters.missed > 0)
		add_capped(&b->samples.lost[LOST_SKIPPED], (uint64_t)counters.missed);
	add_capped(&b->samples.lost[LOST_SKIPPED], counters.pools_lost);
	label_sets_limit(&b->label_sets, notes);
	collect_jit_names(&b->samples, &b->processes, b->request->jvms, notes);
	collect(&b->samples, &b->processes, &b->memberships, b->kallsyms, rec);
	if (b->request->kernel && !b->kallsyms)
		strbuf_addf(notes, "kernel frames have no names: %s\n", b->no_kallsyms.buf);
	if (counters.delayed * 100 > counters.hits)
		strbuf_addf(notes,
			"%" PRIu64 " of %" PRIu64 " samples came before their unwind tables and "
			"count at the next stacks of their threads\n",
			counters.delayed, counters.hits);
	if (b->no_waits.len)
		strbuf_addf(notes, "%s: waits that began before the recording are missing\n",
			b->no_waits.buf);
	note_labels(b, &counters, notes);
	created_pools_note(&b->pools, notes);
	processes_note_left_out(&b->processes, notes);
	condense_note(&b->samples, notes);
	strbuf_add(notes, b->no_vm.buf, b->no_vm.len);
	if (b->request->vm && !vm_processes_any(&b->vms))
		strbuf_addf(notes, "no %s ran in what was recorded\n", b->request->vm->title);
	processes_move_files(&b->processes, files);
	pace_stop(&b->pace);
	if (b->no_memory)
		fail(err,
			"the memory limit of %" PRIu64
			" MiB was reached: the recording ends early; "
			"what was recorded is kept\n",
			memory_limit() >> 20);
	if (!b->drain.error)
		return b->no_memory;
	fail(err, "cannot read all sums from the kernel: %s; what was read is kept\n",
		strerror(b->drain.error));
	return 1;
}

static const char *bpf_log(const struct engine *engine)
{
	const struct bpf *b = (const struct bpf *)engine;

	return b->started ? NULL : b->programs.log.buf;
}

const struct engine_ops bpf_engine = {
	.name = "bpf",
	.new = bpf_new,
	.describe = bpf_describe,
	.start = bpf_start,
	.wait = bpf_wait,
	.stop = bpf_stop,
	.finish = bpf_finish,
	.log = bpf_log,
	.free = bpf_free,
};
