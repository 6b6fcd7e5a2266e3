/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks: names the locks, and adds the waits that have not ended; see locks.bpf.c. */
#include "locks.h"
#include "lock_names.h"
#include "lock_owners.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "engine/engine.h"
#include "lib/error_name.h"
#include "lib/log_scale.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bpf/locks.object.h"
#include "bpf/locks.plain.object.h"

static const char *const kinds[LOCK_KINDS] = {
	[LOCK_FUTEX] = "futex",
	[LOCK_PI] = "pi",
	[LOCK_CONDITION] = "condition",
	[LOCK_JOIN] = "join",
	[LOCK_SPIN] = "spin",
	[LOCK_RWLOCK] = "rwlock",
	[LOCK_MUTEX] = "mutex",
	[LOCK_RWSEM] = "rwsem",
	[LOCK_PERCPU_RWSEM] = "percpu-rwsem",
	[LOCK_RT] = "rt",
	[LOCK_SEMAPHORE] = "semaphore",
};

/* Data of a recording. */
struct locks_run {
	const struct programs *programs;
	int labels, threads;     /* maps */
	bool no_contention;      /* locks of the kernel are wanted, but it does not report them */
	uint64_t nr_unfinished;  /* waits whose threads have ended */
	uint64_t nr_unlabelled;  /* rows for whose labels there was no room */
	struct lock_labels open; /* of the wait that is being added */
	bool never_ran;          /* its thread has not run since the recording began */
	struct lock_names names;
	struct lock_owners owners;
};

/* Stands for the labels of a wait that has not ended, which have no number. */
enum { LABELS_OPEN = LOCK_LABELS_MAX + 1 };

static bool wants_futexes(const struct engine_request *request)
{
	return request->user || request->vms;
}

static bool is_contention_program(const char *program)
{
	return !strncmp(program, "on_contention", strlen("on_contention"));
}

static bool is_needed(const struct engine_request *request, const char *program)
{
	static const char *const of_futexes[] = {
		"on_call", "on_return", "on_release", "scan_waits"};

	if (is_contention_program(program))
		return request->kernel && features_contention();
	for (size_t i = 0; i < ARRAY_LEN(of_futexes); i++)
		if (!strcmp(program, of_futexes[i]))
			return wants_futexes(request);
	return true;
}

static void begin(struct tool_run *run)
{
	struct locks_run *r = xcalloc(1, sizeof(*r));

	lock_names_init(&r->names, run->facet.ps, !run->request->windows);
	lock_owners_init(&r->owners);
	run->data = r;
}

static void release(struct tool_run *run)
{
	struct locks_run *r = run->data;

	lock_names_release(&r->names);
	lock_owners_release(&r->owners);
	free(r);
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	struct locks_run *r = run->data;
	struct utsname uts = {0};

	r->programs = p;
	r->labels = programs_map(p, "lock_labels");
	r->threads = programs_map(p, "lock_threads");
	r->no_contention = run->request->kernel && !features_contention();
	if (!r->no_contention || wants_futexes(run->request))
		return 0;
	uname(&uts);
	return fail(err,
		"cannot record locks of the kernel: Linux %s has no tracepoint "
		"lock:contention_begin, which exists since 5.19; -u records the locks of programs",
		uts.release);
}

static uint32_t label_releaser(struct samples *s, uint32_t set, const struct lock_labels *l)
{
	char *text = xasprintf("%.*s/%" PRIu32, COMM_LEN, l->comm_by, l->tid_by);

	set = samples_label(s, set, "released-by", text);
	free(text);
	return set;
}

/*
 * Adds the thread that had the lock when the wait began. What looks like an owner is something else
 * if the process has no such thread.
 */
static uint32_t label_owner(
	struct locks_run *r, struct samples *s, uint32_t set, const struct lock_labels *l)
{
	const char *owner = lock_owners_get(&r->owners, l->tgid, l->owner, r->labels);

	return owner ? samples_label(s, set, "held-by", owner) : set;
}

/* Learns the names of all locks that were waited for so far, and of L. */
static void learn_names(struct locks_run *r, const struct lock_labels *l)
{
	struct lock_place *list = xcalloc(LOCK_LABELS_MAX + 1, sizeof(*list));
	uint32_t number, *last = NULL;
	struct lock_labels found;
	size_t nr = 0;

	list[nr++] = (struct lock_place){l->tgid, l->address};
	for (; nr <= LOCK_LABELS_MAX && !bpf_map_get_next_key(r->labels, last, &number);
		last = &number)
		if (!bpf_map_lookup_elem(r->labels, &number, &found) && found.kind != LOCK_JOIN)
			list[nr++] = (struct lock_place){found.tgid, found.address};
	lock_names_learn(&r->names, list, nr);
	free(list);
}

/*
 * A thread's end has no name of its own, and its address tells nothing: it is named after the
 * thread.
 */
static uint32_t label_lock(struct locks_run *r, struct samples *s, const struct lock_labels *l)
{
	if (l->kind != LOCK_JOIN) {
		struct lock_place place = {l->tgid, l->address};

		if (!lock_names_get(&r->names, place))
			learn_names(r, l);
		return samples_label(s, 0, "lock", lock_names_get(&r->names, place));
	}
	char *text = xasprintf("end of thread %.*s", COMM_LEN, l->comm_by);
	uint32_t set = samples_label(s, 0, "lock", text);

	free(text);
	return set;
}

static uint32_t labels(struct tool_run *run, uint32_t value)
{
	struct locks_run *r = run->data;
	struct samples *s = run->drain->samples;
	struct lock_labels l = r->open;
	char other[ERROR_NAME_LEN];

	if (value != LABELS_OPEN && bpf_map_lookup_elem(r->labels, &value, &l)) {
		r->nr_unlabelled++;
		return 0;
	}
	uint32_t set = label_lock(r, s, &l);

	set = samples_label(s, set, "kind", kinds[l.kind % LOCK_KINDS]);
	if (l.owner)
		set = label_owner(r, s, set, &l);
	if (l.error)
		set = samples_label(s, set, "error", error_name(l.error, other));
	if (value == LABELS_OPEN && r->never_ran)
		set = samples_label(s, set, RECORDING_RAN, RECORDING_RAN_NEVER);
	return *l.comm_by && value != LABELS_OPEN ? label_releaser(s, set, &l) : set;
}

/* Runs the iterator over all tasks again, which then notes those that have not ended. */
static void stop(struct tool_run *run)
{
	struct locks_run *r = run->data;

	if (r->programs->scan)
		programs_scan_tasks(r->programs, NULL);
}

/* Makes L the labels of a join if a thread's end is what L waits for. */
static void find_joined(const struct locks_run *r, struct lock_labels *l)
{
	struct lock_thread_key key = {.address = l->address, .tgid = l->tgid};
	struct lock_thread thread;

	if (l->kind != LOCK_FUTEX || bpf_map_lookup_elem(r->threads, &key, &thread))
		return;
	l->kind = LOCK_JOIN;
	l->owner = 0;
	l->tid_by = thread.tid;
	memcpy(l->comm_by, thread.comm, COMM_LEN);
}

/* Adds WAIT, whose thread still waits at NOW_NS. */
static void add_wait(struct tool_run *run, const struct span *wait, uint64_t now_ns)
{
	struct locks_run *r = run->data;
	uint64_t ns = now_ns - wait->since;
	struct row_key row = wait->row;
	uint32_t number = (uint32_t)wait->word[LOCK_NUMBER];
	uint16_t kind = (uint16_t)wait->word[LOCK_KIND];

	r->open = (struct lock_labels){.address = wait->word[LOCK_ADDRESS],
		.tgid = kind < LOCK_SPIN ? row.tgid : 0,
		.owner = (uint32_t)(wait->word[LOCK_KIND] >> LOCK_OWNER),
		.kind = kind};
	r->never_ran = wait->word[LOCK_KIND] & LOCK_EARLIER;
	find_joined(r, &r->open);
	row.state = TOOL_VALUE(number ? number : LABELS_OPEN);
	row.waker = number ? wait->wakers[0] : 0;
	row.range = run->settings->ranges ? 1 + log_scale_bucket(ns) : 0;
	drain_add_time(run->drain, &row, wait->since, now_ns);
}

static void add_open(struct tool_run *run, uint64_t now_ns)
{
	struct drain_spans spans = drain_read_spans(run->drain);
	struct locks_run *r = run->data;

	for (uint32_t i = 0; i < spans.nr; i++) {
		const struct span *wait = &spans.values[i];

		if (!task_lives(wait->row.tid, wait->row.start / task_tick_ns()))
			r->nr_unfinished++;
		else if (wait->since < now_ns &&
			 lock_wait_counts(run->settings, now_ns - wait->since))
			add_wait(run, wait, now_ns);
	}
	drain_spans_release(&spans);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct locks_run *r = run->data;

	if (r->no_contention)
		strbuf_adds(notes, "locks of the kernel are not included: it has no tracepoint "
				   "lock:contention_begin, which exists since Linux 5.19\n");
	if (r->nr_unfinished)
		strbuf_addf(notes,
			"%" PRIu64 " waits are not included: their threads ended in them\n",
			r->nr_unfinished);
	if (r->nr_unlabelled)
		strbuf_addf(notes,
			"%" PRIu64 " waits have no label of their lock: the table has room for %d "
			"locks and threads that release them\n",
			r->nr_unlabelled, LOCK_LABELS_MAX);
}

const struct bpf_tool locks_tool = {
	.program = "locks",
	.object = &locks_object,
	.plain_object = &locks_plain_object,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.labels = labels,
	.stop = stop,
	.add_open = add_open,
	.note = note,
	.release = release,
};
