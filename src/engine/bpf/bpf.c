/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begins, runs and ends recordings with the built-in engine. */
#include "bpf_engine.h"
#include "engine/seal.h"
#include "lib/limits/memory.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/descendants.h"
#include "process/task.h"
#include "symbol/names/kallsyms.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	PREPARE_MS = 500,     /* time for the tables of mapped files before the first tick */
	MEMBERSHIPS_MS = 100, /* time for the labels of all processes before the first tick */
	SOON_MS = 10,         /* until the next round if one should follow soon */
	OFTEN_MS = 100,       /* until the next round, except if processes come by their samples */
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

static struct drain_pair map_pair(const struct programs *p, const char *nodes, const char *rows)
{
	return (struct drain_pair){{.fd = programs_map(p, nodes), .size = p->nr_nodes},
		{.fd = programs_map(p, rows), .size = p->nr_rows}};
}

static void name_states(struct drain *d, const struct vm *vm)
{
	for (uint32_t i = 1; vm->states && vm->states[i] && i < VM_STATES_MAX; i++)
		drain_name_state(d, VM_STATE(vm->kind, i), VM_STATE_LABEL, vm->states[i]);
}

static void add_event(struct bpf *b)
{
	const struct tool *tool = b->request->tool;

	b->drain.events[ROW_SAMPLES] = samples_event(&b->samples,
		&(struct sample_event){tool->event, tool->unit, tool->clock,
			programs_count_ticks(&b->programs) ? 1000000000 / programs_hz(b->request)
							   : 0,
			tool_divisor(tool)});
	if (b->request->count_ends) {
		const char *ends = label_that_ends(&b->request->labels)->ends;

		b->drain.events[ROW_ENDS] = samples_event(
			&b->samples, &(struct sample_event){ends, ends, tool->clock, 0, 1});
	}
	for (size_t v = 0; v < NR_VMS; v++)
		if (b->request->vms & VM_BIT(vms[v]->kind))
			name_states(&b->drain, vms[v]);
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
	facet_start(&b->layouts, programs_map(p, "jit_layouts"));
	spaces_init(&b->spaces, &b->processes, &b->pool, &b->loader, &b->layouts,
		programs_map(p, "spaces"));
	b->spaces.late = targets_come_by_samples(b->request);
	facets_add(&b->facets, &b->spaces.facet);
	b->drain.samples = &b->samples;
	b->drain.vms = &b->vms;
	b->drain.label_sets = &b->label_sets;
	b->drain.copies = &b->copies;
	b->drain.epoch = &p->control->epoch;
	b->drain.nodes = programs_map(p, "nodes");
	b->drain.rows = programs_map(p, "rows");
	b->drain.size_max = programs_entries_max(b->request);
	b->drain.maps[0] = map_pair(p, "nodes_0", "rows_0");
	b->drain.maps[1] = map_pair(p, "nodes_1", "rows_1");
	b->drain.spans = programs_map(p, "spans");
	b->drain.nr_spans = programs_map_size(p, "spans");
	drain_init(&b->drain);
	add_event(b);
	tool_run_begin(&b->tool, p, &b->processes, &b->drain);
	facets_add(&b->facets, &b->tool.facet);
	seal_ask_names(b->request, &b->facets, &b->processes);
	if (!b->loader.descs || !b->counters ||
		ring_records_open(&b->ring, programs_map(p, "ring"), &b->copies))
		return programs_cannot_share(errno, err);
	b->loader.descs[0].is_final = true; /* entry 0, for mappings without a file */
	return 0;
}

bool bpf_is_open(const struct engine_request *r)
{
	return r->all || r->selection.kind;
}

static bool has_children(const struct engine_request *r)
{
	size_t nr = 0;

	if (r->nr_pids)
		free(descendants("/proc", r->pids, r->nr_pids, &nr));
	return nr > 0;
}

/*
 * Looks for the interpreters in all targets. Fails if no target has one, unless processes that
 * start later are recorded, too, or user stacks of those that have none.
 */
static int find_vm(struct bpf *b, struct strbuf *err)
{
	const struct engine_request *r = b->request;
	bool must = !bpf_is_open(r) && !r->children && !(r->any_vm && r->user);
	struct strbuf titles = STRBUF_INIT;
	struct facet *f = &b->vms.facet;
	char comm[32];

	if (r->command)
		processes_get(&b->processes, r->pids[0]); /* so that its events are handled */
	int found = facet_look_at_all(f, must, err);

	vm_add_titles(r->vms, &titles);
	for (size_t i = 0; must && i < f->nr; i++)
		if (f->list[i].state == FACET_NONE) {
			task_comm(f->list[i].pid, comm, sizeof(comm));
			strbuf_addf(&f->refusals, "no %s runs in process %" PRIu32 " (%s)\n",
				titles.buf, f->list[i].pid, comm);
		}
	if (found > 0) {
		strbuf_add(err, f->refusals.buf, strcspn(f->refusals.buf, "\n"));
		found = fail(err, "; give the number of a process that runs %s", titles.buf);
		strbuf_adds(
			err, has_children(r) ? ", or --children for the child processes, too" : "");
	}
	strbuf_release(&titles);
	return found;
}

static void bpf_free(struct engine *engine)
{
	struct bpf *b = (struct bpf *)engine;

	if (!b)
		return;
	pace_stop(&b->pace);
	free(b->leaving);
	facets_free(&b->facets);
	sideband_close(&b->side);
	ring_records_release(&b->ring);
	loader_release(&b->loader);
	spaces_release(&b->spaces);
	facet_release(&b->layouts);
	stack_copies_release(&b->copies);
	tool_run_release(&b->tool);
	drain_release(&b->drain);
	condense_release(&b->condense);
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
	strbuf_release(&b->no_scan);
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
			.blob = name->blob ? strpool_adds(&s->strings, name->blob) : 0,
			.late = name->blob && name->late,
			.line = name->line,
			.first_line = name->first_line,
		});
}

static uint64_t code_frame(void *context, uint32_t pid, uint64_t address)
{
	struct bpf *b = context;
	const struct process *p = processes_get(&b->processes, pid);

	return samples_user_frame(process_find(&b->processes, p, address), address, false);
}

static void init_facets(struct bpf *b)
{
	const struct engine_request *r = b->request;

	memberships_init(&b->memberships, "/proc", r->memberships);
	b->memberships.forks = !r->user;
	b->memberships.late = targets_come_by_samples(r);
	jit_layouts_init(&b->layouts, &b->processes);
	vm_processes_init(
		&b->vms, r->vms, &b->processes, &(struct vm_names){add_name, code_frame, b});
	b->vms.any = r->any_vm;
	b->vms.fetch = r->fetch;
	b->vms.with_operators = r->operators;
	label_processes_init(&b->labels, &r->labels, &b->processes);
	facets_add(&b->facets, &b->memberships.facet);
	facets_add(&b->facets, &b->layouts);
	if (r->vms)
		facets_add(&b->facets, &b->vms.facet);
	if (r->labels.nr)
		facets_add(&b->facets, &b->labels.facet);
}

static struct engine *bpf_new(struct engine_request *request, struct strbuf *err)
{
	if (!bpf_tool_find(request->tool->program)) {
		fail(err, "the built-in engine has no program for '%s': use --engine stap",
			request->tool->name);
		return NULL;
	}
	struct bpf *b = xcalloc(1, sizeof(*b));

	b->engine.ops = &bpf_engine;
	b->request = request;
	pace_start(&b->pace);
	b->programs.log = b->no_kallsyms = b->no_scan = (struct strbuf)STRBUF_INIT;
	b->nr_cpus = possible_cpus();
	allow_files();
	processes_init(&b->processes);
	init_facets(b);
	bpf_choose_functions(b);
	samples_init(&b->samples);
	label_sets_init(&b->label_sets, &b->samples, &b->labels, request->label_values);
	loader_init(&b->loader, &b->processes);
	stack_copies_init(&b->copies, &b->processes, &b->loader, &b->samples);
	b->copies.layouts = &b->layouts;
	if (targets_scan(&b->targets, request, &b->processes,
		    monotonic_ns() + PREPARE_MS * 1000000LL, err) ||
		(request->vms && find_vm(b, err)) ||
		(request->labels.nr && (bpf_find_labels(b, err) || bpf_need_functions(b, err)))) {
		bpf_free(&b->engine);
		return NULL;
	}
	return &b->engine;
}

static void bpf_describe(const struct engine *engine, FILE *out)
{
	(void)engine;
	fputs("# the BPF programs are built in; their source is in src/tool and "
	      "src/engine/bpf/kern\n",
		out);
}

/*
 * Returns when the programs end a recording that began at BEGAN (CLOCK_MONOTONIC, ns), as the
 * recorder may stop it late.
 */
static uint64_t end_time(const struct engine_request *r, uint64_t began)
{
	return r->seconds > 0 && r->seconds < 1e9 ? began + (uint64_t)(r->seconds * 1e9)
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

	const struct sideband_options options = {
		.nr_cpus = b->nr_cpus,
		.hz = tick ? programs_hz(b->request) : 0,
		.prompt = b->request->vms,
	};

	if (sideband_open(&b->side, &options, err))
		return -1;
	return tick ? sideband_attach(&b->side, bpf_program__fd(tick), err) : 0;
}

bool bpf_walks_native(const struct engine_request *r)
{
	return r->user || r->labels.nr || vm_by_native(r->vms);
}

/* Adds to ERR that memory is limited, if a failure to start is likely to come from that. */
static void mention_limit(struct strbuf *err)
{
	if (memory_limit() < PROGRAMS_MEMORY)
		fail(err, "; memory is limited to %" PRIu64 " MiB: allow at least %d MiB",
			memory_limit() >> 20, PROGRAMS_MEMORY >> 20);
}

/* Publishes what was found in the processes. From the first sample on, the programs need it. */
static void publish_facets(struct bpf *b)
{
	if (b->request->vms)
		facet_start(&b->vms.facet, programs_map(&b->programs, "vm_layouts"));
	if (b->request->labels.nr)
		facet_start(&b->labels.facet, programs_map(&b->programs, "label_layouts"));
}

static int bpf_start(struct engine *engine, struct strbuf *err)
{
	struct bpf *b = (struct bpf *)engine;
	const struct engine_request *r = b->request;

	memory_reserve();
	if (programs_load(&b->programs, r, &b->targets, b->nr_cpus, err) || connect_maps(b, err) ||
		targets_publish(&b->targets, &b->programs, err) || open_events(b, err) ||
		programs_attach(&b->programs, err) ||
		tool_run_attach(&b->tool, &b->programs, err) || bpf_attach_points(b, err) ||
		targets_publish_children(&b->targets, &b->programs, &b->processes, err)) {
		mention_limit(err);
		strbuf_addch(err, '\n');
		return -1;
	}
	for (size_t i = 0; i < b->processes.nr; i++)
		spaces_update(&b->spaces, &b->processes.list[i]);
	if (bpf_walks_native(r))
		prepare_tables(b);
	for (size_t i = 0; i < b->processes.nr && !b->memberships.late; i++)
		memberships_see(&b->memberships, b->processes.list[i].pid);
	if (bpf_is_open(r) && !b->memberships.late)
		memberships_see_all(&b->memberships, monotonic_ns() + MEMBERSHIPS_MS * 1000000LL);
	publish_facets(b);
	sideband_enable(&b->side, true);
	b->began = (uint64_t)monotonic_ns();
	b->drain.slices = (struct slices){b->began, r->slice_ns};
	b->samples.slices.ns = r->slice_ns;
	b->programs.control->since = b->began;
	b->programs.control->until = end_time(r, b->began);
	targets_scan_all(&b->targets, &b->processes, monotonic_ns() + PREPARE_MS * 1000000LL);
	for (size_t i = 0; i < b->processes.nr; i++) {
		process_scan(&b->processes, &b->processes.list[i], NULL);
		spaces_update(&b->spaces, &b->processes.list[i]);
		pace_update(&b->pace);
	}
	if (b->programs.scan) {
		programs_scan_tasks(&b->programs, &b->no_scan);
		bpf_take_round(b); /* before the threads change their memory */
	}
	b->started = true;
	return 0;
}

struct counters bpf_counters(const struct bpf *b)
{
	return counters_sum(b->counters, b->nr_cpus * LANES);
}

void bpf_wait_for_input(struct bpf *b, int timeout_ms)
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
	b->ended = b->programs.control->until;
	tool_run_stop(&b->tool);
	programs_detach(&b->programs);
	tool_run_stopped(&b->tool);
}

static enum engine_state bpf_wait(struct engine *engine, int timeout_ms)
{
	struct bpf *b = (struct bpf *)engine;

	if (b->ended)
		return ENGINE_ENDED;
	int most_ms = b->young || b->condense.to ? SOON_MS : b->spaces.late ? timeout_ms : OFTEN_MS;

	if (timeout_ms > most_ms)
		timeout_ms = most_ms;
	/* the first call reports at once that the recording runs */
	bpf_wait_for_input(b, b->waited ? timeout_ms : 0);
	b->waited = true;
	bpf_take_round(b);
	if (bpf_is_half_full(b))
		bpf_drain(b);
	bpf_sweep(b);
	bpf_update_cpus(b);
	if (memory_is_low()) {
		bpf_stop(engine);
		b->no_memory = true;
		return ENGINE_ENDED;
	}
	return ENGINE_READY;
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
	.take = bpf_take,
	.window = bpf_window,
	.log = bpf_log,
	.free = bpf_free,
};
