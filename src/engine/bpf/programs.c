/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"
#include "engine/bpf/kern/backlog.h"

#include "bpf_tool.h"
#include "embedded.h"
#include "engine/engine.h"
#include "features.h"
#include "kernel_types.h"
#include "lib/hash.h"
#include "lib/limits/memory.h"
#include "lib/util.h"
#include "process/probe_point.h"
#include "process/task.h"
#include "refusal.h"
#include "targets.h"
#include "verifier.h"
#include "runtime/vm.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	DEFAULT_HZ = 999,
	ENTRIES = 16384, /* nodes, and rows, besides the ones of one second's samples */
	ENTRIES_S = 64,  /* of ticks no more are needed than come in so many seconds */
	ENTRIES_MAX = 1 << 17,
	ENTRY_BYTES = 800, /* size of a node and a row with their hashes, in both pairs of maps */
	RING_LEAST = 1 << 20,
	RING_TICK = 1 << 16, /* bytes for each tick in a second: most stacks are smaller */
	/* sizes of entries with their hashes, in maps that get 1/64 or 1/128 of a memory limit */
	LEAVING_BYTES = 80,
	SPACE_BYTES = 104,
	DELAYED_BYTES = 120,
	COPIED_BYTES = 120,
	JIT_LAYOUT_BYTES = 264,
	DETACHERS = 64,    /* threads */
	LINKS_EACH = 16,   /* for each thread, at least */
	OTHER_FILES = 16,  /* other files that are open during loading: BTF, tests of features */
	LOG_MAX = 1 << 16, /* bytes that are kept from the end of libbpf's messages */
};

/* Keeps the end of the log, where errors are. */
static void shorten_log(struct strbuf *log)
{
	size_t over = log->len > LOG_MAX ? log->len - LOG_MAX : 0;

	if (!over)
		return;
	memmove(log->buf, log->buf + over, log->len - over + 1);
	log->len -= over;
}

/* libbpf's print callback has no context argument. */
static struct programs *logging;

static int log_message(enum libbpf_print_level level, const char *fmt, va_list args)
{
	size_t before = logging ? logging->log.len : 0;

	if (!logging || level == LIBBPF_DEBUG)
		return 0;
	strbuf_vaddf(&logging->log, fmt, args);
	if (logging->request->verbose)
		fputs(logging->log.buf + before, stderr);
	shorten_log(&logging->log);
	return 0;
}

unsigned programs_hz(const struct engine_request *request)
{
	return request->hz ? request->hz : DEFAULT_HZ;
}

static struct bpf_map *find_map(const struct programs *p, const char *name)
{
	return bpf_object__find_map_by_name(p->object, name);
}

static int set_size(struct programs *p, const char *map, uint32_t entries, struct strbuf *err)
{
	int error = bpf_map__set_max_entries(find_map(p, map), entries);

	return error ? fail(err, "cannot set the size of the BPF map %s to %u entries: %s", map,
			       entries, strerror(-error))
		     : 0;
}

bool programs_count_ticks(const struct programs *p)
{
	return p->tick && !tool_measures(p->request->tool);
}

/* Returns the most samples per second, or SIZE_MAX if not only ticks are samples. */
static size_t most_samples(const struct programs *p)
{
	return programs_count_ticks(p) && !p->request->count_ends
		       ? p->nr_cpus * programs_hz(p->request)
		       : SIZE_MAX;
}

static uint32_t ring_size(const struct programs *p)
{
	uint32_t bytes = backlog_ring(p->nr_cpus);
	uint64_t most = memory_share(bytes, 16);

	if (most_samples(p) < most / RING_TICK)
		most = most_samples(p) * RING_TICK;
	while (bytes > RING_LEAST && bytes > most)
		bytes /= 2;
	return bytes;
}

/*
 * Returns the number of entries for A_SECOND new ones per second. Maps are drained before they are
 * full, so fewer entries cost time but no samples.
 */
static uint32_t nr_entries(const struct programs *p, size_t a_second)
{
	const struct engine_request *r = p->request;
	size_t more = ENTRIES;

	if (most_samples(p) != SIZE_MAX && a_second < ENTRIES / ENTRIES_S)
		more = ENTRIES_S * a_second;
	return r->stacks ? (uint32_t)r->stacks
			 : (uint32_t)memory_share(more + a_second, 8 * ENTRY_BYTES);
}

uint32_t programs_entries_max(const struct engine_request *r)
{
	return r->stacks ? 0 : (uint32_t)memory_share(ENTRIES_MAX, 8 * ENTRY_BYTES);
}

/* Returns whether the children of recorded processes are recorded. */
static bool follows(const struct programs *p)
{
	return p->request->children || p->targets->by_pids;
}

/* Returns how many threads may have a backlog. */
static uint32_t nr_delayed(const struct programs *p)
{
	uint64_t most = memory_share(DELAYED_MAX, 128 * DELAYED_BYTES);

	return (uint32_t)(most < p->nr_rows ? most : p->nr_rows);
}

/* Returns the number of processes that are recorded at a time, or MOST if they may become more. */
static uint32_t nr_processes(const struct programs *p, uint64_t most)
{
	const struct engine_request *r = p->request;

	return (uint32_t)(r->all || r->selection.kind || follows(p) ? most
								    : r->nr_pids + r->nr_tids + 1);
}

static int set_sizes(struct programs *p, struct strbuf *err)
{
	const struct engine_request *r = p->request;
	size_t busy = p->nr_cpus * programs_hz(r);
	uint32_t cpus = (uint32_t)p->nr_cpus;

	p->nr_rows = nr_entries(p, busy);
	p->nr_nodes = nr_entries(p, 2 * busy);
	const struct {
		const char *map;
		uint32_t entries; /* or 0 to keep the size */
	} sizes[] = {
		{"rows_0", p->nr_rows},
		{"rows_1", p->nr_rows},
		{"nodes_0", p->nr_nodes},
		{"nodes_1", p->nr_nodes},
		{"target_pids", follows(p) ? 0 : (uint32_t)r->nr_pids + 1},
		{"target_tids", (uint32_t)r->nr_tids + 1},
		{"target_cgroups", r->selection.kind ? 0 : 1},
		{"counters", cpus * LANES},
		{"rule_cache", cpus * RULE_CACHE_SIZE},
		{"ring", ring_size(p)},
		{"vm_layouts", r->vms ? 0 : 1},
		{"vm_sent", r->vms ? 0 : 1},
		{"label_layouts", r->labels.nr ? 0 : 1},
		{"label_sent", r->labels.nr ? 0 : 1},
		{"label_cache", r->labels.nr ? cpus * LANES * LABEL_CACHE_SIZE : 1},
		{"leaving", follows(p) ? (uint32_t)memory_share(TARGETS, 128 * LEAVING_BYTES)
				       : (uint32_t)r->nr_pids + 1},
		{"spaces", nr_processes(p, memory_share(SPACES_MAX, 64 * SPACE_BYTES))},
		{"delayed", nr_delayed(p)},
		{"copied", (uint32_t)memory_share(COPIED_MAX, 128 * COPIED_BYTES)},
		{"jit_layouts",
			nr_processes(p, memory_share(JIT_LAYOUTS_MAX, 128 * JIT_LAYOUT_BYTES))},
	};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (sizes[i].entries && set_size(p, sizes[i].map, sizes[i].entries, err))
			return -1;
	for (size_t i = 0; i < NR_VMS; i++)
		for (const struct vm_map *m = vms[i]->maps; m->name; m++)
			if (set_size(p, m->name,
				    r->vms & VM_BIT(vms[i]->kind) ? cpus * m->entries : 1, err))
				return -1;
	return 0;
}

_Static_assert((int)OPTIONS_MAX == (int)TOOL_OPTIONS_MAX, "the programs have room for all options");

static int set_settings(struct programs *p, struct strbuf *err)
{
	const struct engine_request *r = p->request;
	struct settings *s = &p->settings;
	int error;

	s->user = r->user;
	s->kernel = r->kernel;
	s->vm = r->vms;
	s->vm_op = r->operators;
	s->vm_by_native = vm_by_native(r->vms);
	s->labels = r->labels.nr;
	for (size_t i = 0; i < r->labels.nr; i++)
		s->label_keys[r->labels.list[i].source->kind] = r->labels.list[i].keys;
	s->idle = r->idle;
	s->ranges = r->measure.ranges;
	s->seed = hash_key[0];
	targets_settings(p->targets, s);
	s->pid_ns = task_namespace();
	s->tick_ns = p->tick ? 1000000000 / programs_hz(r) : 0;
	s->slice_ns = r->slice_ns;
	s->state_arg = tool_has_probe(r->tool, "sched:sched_switch") && features_switch_state();
	for (size_t i = 0; i < r->tool->nr_options; i++)
		s->option[i] =
			r->tool->options[i]->is_text ? 0 : tool_value_at(r->tool, &r->values, i);
	error = bpf_map__set_initial_value(find_map(p, ".rodata"), s, sizeof(*s));
	return error ? fail(err, "cannot set what the BPF programs record: %s", strerror(-error))
		     : 0;
}

/* Returns the likely cause of ERROR. libbpf fails with any errno if it gets no memory or files. */
static int cause_of(int error)
{
	int cause = refusal_cause(error);

	return cause != EMFILE && memory_limit() < PROGRAMS_MEMORY ? ENOMEM : cause;
}

/*
 * Returns whether ERROR has another cause than the verifier, which also rejects programs with
 * EACCES and EPERM, but gives a reason.
 */
static bool has_own_cause(int error, const char *reason)
{
	return refusal_remedy(error) && !(reason && (error == EACCES || error == EPERM));
}

/* Reports that the kernel rejected the programs, or could not load them. */
static int refuse(const struct programs *p, int error, struct strbuf *err)
{
	struct utsname uts = {0};
	size_t len;
	const char *reason = verifier_reason(p->log.buf, &len);
	int cause = cause_of(error);

	uname(&uts);
	if (has_own_cause(cause, reason)) {
		strbuf_addf(err, "Linux %s cannot load the BPF programs", uts.release);
		return refusal_add(err, cause);
	}
	strbuf_addf(err, "Linux %s rejects the BPF programs: %s", uts.release, strerror(error));
	if (reason)
		strbuf_addf(err, ": \"%.*s\"", (int)len, reason);
	return fail(err, "; report it with the log%s",
		p->request->count_ends || p->request->tool->nr_functions
			? ""
			: ", and record with --engine=stap");
}

/*
 * Loads the programs, if as many files can be opened as that takes: if libbpf's test of a kernel
 * feature fails for want of files, libbpf believes that the feature is missing. Returns 0 or a
 * negative errno.
 */
static int load_object(const struct programs *p)
{
	struct bpf_program *program;
	struct bpf_map *map;
	unsigned nr = OTHER_FILES;

	bpf_object__for_each_program(program, p->object) nr++;
	bpf_object__for_each_map(map, p->object) nr++;
	return refusal_has_files(nr) ? bpf_object__load(p->object) : -EMFILE;
}

static bool is_needed(const struct programs *p, const char *program)
{
	if (!strcmp(program, "on_fork"))
		return follows(p) || p->request->vms;
	if (!strcmp(program, "on_end"))
		return p->request->count_ends;
	return !p->tool->is_needed || p->tool->is_needed(p->request, program);
}

/* Leaves out the programs that are not needed: the verifier takes its time for each. */
static void choose_programs(const struct programs *p)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->object)
		bpf_program__set_autoload(program, is_needed(p, bpf_program__name(program)));
}

/* Prepares the programs of the object and loads them. */
static int prepare_and_load(struct programs *p, struct strbuf *err)
{
	int error;

	p->tick = bpf_object__find_program_by_name(p->object, "on_tick");
	choose_programs(p);
	if (p->tool->prepare)
		p->tool->prepare(p);
	if (set_sizes(p, err) || set_settings(p, err))
		return -1;
	error = load_object(p);
	return error ? refuse(p, -error, err) : 0;
}

int programs_load(struct programs *p, const struct engine_request *request,
	const struct targets *targets, size_t nr_cpus, struct strbuf *err)
{
	struct kernel_types types;
	int ret = -1;

	p->tool = bpf_tool_find(request->tool->program);
	p->request = request;
	p->targets = targets;
	p->nr_cpus = nr_cpus;
	logging = p;
	libbpf_set_print(log_message);
	const struct embedded *embedded =
		request->vms || request->labels.nr ? p->tool->object : p->tool->plain_object;

	kernel_types_open(&types, embedded->bytes, embedded->size);
	p->object = embedded_open(embedded, types.path);
	if (p->object)
		ret = prepare_and_load(p, err);
	else
		fail(err, "cannot read the BPF programs: %s", strerror(errno));
	if (!ret)
		kernel_types_keep(&types, p->object);
	kernel_types_release(&types);
	if (ret)
		return -1;
	p->control = programs_map_memory(p, ".bss", sizeof(*p->control), true);
	return p->control ? 0 : programs_cannot_share(errno, err);
}

int programs_cannot_share(int error, struct strbuf *err)
{
	strbuf_adds(err, "cannot share memory with the BPF programs");
	return refusal_add(err, error);
}

int programs_map(const struct programs *p, const char *name)
{
	const struct bpf_map *map = find_map(p, name);

	return map ? bpf_map__fd(map) : -1;
}

uint32_t programs_map_size(const struct programs *p, const char *name)
{
	const struct bpf_map *map = find_map(p, name);

	return map ? bpf_map__max_entries(map) : 0;
}

void *programs_map_memory(const struct programs *p, const char *name, size_t size, bool writable)
{
	int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *memory = mmap(NULL, size, protection, MAP_SHARED, programs_map(p, name), 0);

	if (memory == MAP_FAILED)
		return NULL;
	madvise(memory, size, MADV_DONTFORK); /* children do not need it, and a fork takes longer */
	return memory;
}

struct bpf_program *programs_find(const struct programs *p, const char *name)
{
	return bpf_object__find_program_by_name(p->object, name);
}

void programs_keep(struct programs *p, struct bpf_link *link)
{
	ALLOC_GROW(p->links, p->nr_links, p->links_alloc);
	p->links[p->nr_links++] = link;
}

void programs_keep_fd(struct programs *p, int fd)
{
	ALLOC_GROW(p->fds, p->nr_fds, p->fds_alloc);
	p->fds[p->nr_fds++] = fd;
}

static bool attaches_itself(const struct bpf_program *program)
{
	enum bpf_prog_type type = bpf_program__type(program);

	return bpf_program__autoload(program) && bpf_program__autoattach(program) &&
	       type != BPF_PROG_TYPE_KPROBE && type != BPF_PROG_TYPE_TRACEPOINT &&
	       type != BPF_PROG_TYPE_PERF_EVENT;
}

int programs_attach(struct programs *p, struct strbuf *err)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, p->object)
	{
		if (!attaches_itself(program))
			continue;
		struct bpf_link *link = bpf_program__attach(program);

		if (!link) {
			int error = errno;

			strbuf_addf(err, "cannot attach the BPF program %s",
				bpf_program__name(program));
			return refusal_add(err, error);
		}
		programs_keep(p, link);
		if (bpf_program__expected_attach_type(program) == BPF_TRACE_ITER)
			p->scan = link;
	}
	return 0;
}

int programs_attach_at(struct programs *p, const char *program, const struct probe_point *point,
	struct strbuf *err)
{
	struct bpf_link *link = bpf_program__attach_uprobe(
		programs_find(p, program), false, -1, point->path, point->offset);

	if (!link)
		return fail(err, "cannot probe '%s': %s; %s", point->path, strerror(errno),
			features_probe_remedy(errno));
	programs_keep(p, link);
	return 0;
}

/*
 * Detaches links, as other threads do at the same time: the kernel may wait after each until no
 * processor can be in its program any more.
 */
static void *detach_links(void *arg)
{
	struct programs *p = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&p->next_link, 1, __ATOMIC_RELAXED)) < p->nr_links)
		bpf_link__destroy(p->links[i]);
	return NULL;
}

void programs_detach(struct programs *p)
{
	pthread_t threads[DETACHERS];
	size_t nr = 0;

	p->next_link = 0;
	while (nr < ARRAY_LEN(threads) && nr < p->nr_links / LINKS_EACH &&
		!pthread_create(&threads[nr], NULL, detach_links, p))
		nr++;
	for (size_t i = 0; i < p->nr_fds; i++)
		close(p->fds[i]);
	detach_links(p);
	while (nr)
		pthread_join(threads[--nr], NULL);
	p->nr_links = p->nr_fds = 0;
	p->scan = NULL;
}

int programs_scan_tasks(const struct programs *p, struct strbuf *err)
{
	char buf[4096];
	int fd = bpf_iter_create(bpf_link__fd(p->scan)), error = fd < 0 ? errno : 0;
	ssize_t n = 1;

	while (!error && n) {
		n = read(fd, buf, sizeof(buf));
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			error = errno;
	}
	if (fd >= 0)
		close(fd);
	return error ? fail(err, "cannot scan the threads that already wait: %s", strerror(error))
		     : 0;
}

void programs_release(struct programs *p)
{
	programs_detach(p);
	free(p->links);
	free(p->fds);
	bpf_object__close(p->object);
	logging = NULL;
	strbuf_release(&p->log);
}
