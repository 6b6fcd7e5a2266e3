/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_rows.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "perfdata_events.h"
#include "perfdata_files.h"
#include "perfdata_format.h"
#include "perfdata_jit.h"
#include "perfdata_off_cpu.h"
#include "perfdata_sample.h"
#include "perfdata_unwind.h"

#include <stdlib.h>

enum {
	SLICE_MS = 10,
	SLICES_SHOWN = 400,
	SLICE_MAX_S = 500, /* seconds */
	CHAIN_MAX = 127,   /* kernel.perf_event_max_stack */
};

static const uint64_t slice_ns = SLICE_MS * 1000000ULL;

void perfdata_rows_init(struct perfdata_rows *rs, struct recording *rec,
	struct perfdata_events *events, struct perfdata_tasks *tasks, struct perfdata_files *files,
	struct perfdata_jit *jit)
{
	*rs = (struct perfdata_rows){
		.rec = rec, .events = events, .tasks = tasks, .files = files, .jit = jit};
	rs->stack = xmalloc(sizeof(*rs->stack));
	perfdata_frames_init(&rs->frames, rec, files, jit);
	perfdata_branches_init(&rs->branches, rec, &rs->frames);
	table_init(&rs->cgroups);
}

void perfdata_rows_release(struct perfdata_rows *rs)
{
	perfdata_branches_release(&rs->branches);
	perfdata_frames_release(&rs->frames);
	table_release(&rs->cgroups);
	free(rs->halves);
	free(rs->stack);
}

void perfdata_rows_cgroup(struct perfdata_rows *rs, uint64_t id, const char *path)
{
	struct label label = {recording_string(rs->rec, "cgroup"), recording_string(rs->rec, path)};
	bool is_new;

	*table_put(&rs->cgroups, id, 0, &is_new) =
		strcmp(path, "/") != 0 ? recording_labels(rs->rec, &label, 1) : 0;
}

/* Returns the length of an event's name without modifiers, as in "cycles:u" and "cpu/cycles/u". */
static size_t base_of(const struct perfdata_event *e, const char *name, const char **begin)
{
	const char *end = name + strlen(name), *slash = strchr(name, '/'), *colon;

	*begin = name;
	if (e->attr.type == PERF_TYPE_TRACEPOINT)
		return strlen(name);
	if (slash && strchr(slash + 1, '/')) {
		const char *last = strchr(slash + 1, '/');

		*begin = slash + 1;
		return (size_t)(last - slash - 1);
	}
	colon = strrchr(name, ':');
	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhGHpPSDWeIb")])
		end = colon;
	return (size_t)(end - name);
}

/* Returns the unit in which the periods of E are given. The caller frees it. */
static char *unit_of(const struct perfdata_event *e, const char *name)
{
	const char *begin;
	size_t len = base_of(e, name, &begin);

	if (e->is_off_cpu ||
		(e->attr.type == PERF_TYPE_SOFTWARE && e->attr.config <= PERF_COUNT_SW_TASK_CLOCK))
		return xstrdup("ns");
	return xstrndup(begin, len);
}

/* Adds the events, which get their names at the end. Dummies have no samples. */
static void add_events(struct perfdata_rows *rs)
{
	for (size_t i = 0; i < rs->events->nr; i++) {
		struct perfdata_event *e = &rs->events->list[i];

		if (!e->added && (e->attr.type != PERF_TYPE_SOFTWARE ||
					 e->attr.config != PERF_COUNT_SW_DUMMY))
			e->added = 1 + recording_add_event(rs->rec, "", "", "monotonic", 0);
	}
}

static void name_events(struct perfdata_rows *rs)
{
	struct strbuf room = STRBUF_INIT;

	add_events(rs);
	for (size_t i = 0; i < rs->events->nr; i++) {
		const struct perfdata_event *e = &rs->events->list[i];
		const char *name = perfdata_event_name(e, &room);
		char *unit = rs->samples ? xstrdup("samples") : unit_of(e, name);

		if (e->added) {
			rs->rec->events[e->added - 1].name = recording_string(rs->rec, name);
			rs->rec->events[e->added - 1].unit = recording_string(rs->rec, unit);
		}
		free(unit);
	}
	strbuf_release(&room);
}

/* Returns the number of the event in the recording. */
static uint32_t event_of(struct perfdata_rows *rs, struct perfdata_event *e)
{
	if (!e->added)
		add_events(rs);
	if (!e->added)
		e->added = 1 + recording_add_event(rs->rec, "", "", "monotonic", 0);
	return e->added - 1;
}

static uint64_t weight_of(const struct perfdata_rows *rs, const struct perfdata_event *e,
	const struct perfdata_sample *s)
{
	if (rs->samples)
		return 1;
	if (s->has_period)
		return s->period;
	return e->attr.freq ? 1 : e->attr.sample_period;
}

/* The parts of a sample's stack. */
struct parts {
	uint32_t user, kernel;
	bool is_deferred;
	uint64_t cookie;
};

/*
 * Returns a number of what the addresses of the sample mean, which is different when mappings or
 * compiled functions are.
 */
static uint64_t meaning_of(const struct perfdata_rows *rs, const struct perfdata_space *space,
	const struct perfdata_sample *s)
{
	uint64_t state = perfdata_jit_state(rs->jit, s->pid, s->time);

	return (space ? space->number : s->pid | 1ULL << 63) ^ state << 32;
}

/*
 * Adds a run of addresses in a call chain, which are of one mode. CUT tells why its stack is cut,
 * or is 0.
 */
static void add_run(struct perfdata_rows *rs, struct parts *parts, unsigned mode,
	const uint64_t *run, size_t nr, const struct perfdata_sample *s, enum cut_cause cut)
{
	const struct perfdata_space *space =
		mode == PERFDATA_USER ? perfdata_tasks_space(rs->tasks, s->pid) : NULL;
	uint64_t number = mode == PERFDATA_USER ? meaning_of(rs, space, s) : mode << 4 | 1ULL << 62;
	uint32_t *kept = perfdata_frames_chain(&rs->frames, run, nr, number << 8 | cut);
	uint32_t *part = mode == PERFDATA_USER ? &parts->user : &parts->kernel;

	if (*kept) {
		*part = *kept - 1;
		return;
	}
	perfdata_frames_begin(&rs->frames);
	for (size_t i = 0; i < nr; i++)
		if (mode == PERFDATA_USER)
			perfdata_frames_user(&rs->frames, perfdata_space_find(space, run[i] - !!i),
				s->pid, run[i], i > 0);
		else if (mode == PERFDATA_KERNEL)
			perfdata_frames_kernel(&rs->frames, run[i], i > 0);
	if (mode != PERFDATA_USER && mode != PERFDATA_KERNEL)
		perfdata_frames_other(
			&rs->frames, mode == PERFDATA_HYPERVISOR ? "[hypervisor]" : "[guest]");
	if (mode != PERFDATA_USER)
		*part = perfdata_frames_end(&rs->frames, STACK_KERNEL, END_ROOT, 0);
	else if (cut)
		*part = perfdata_frames_end(
			&rs->frames, STACK_USER, END_CUT, recording_string(rs->rec, cut_word(cut)));
	else /* its end is judged when all is read */
		*part = perfdata_frames_end(&rs->frames, STACK_USER, END_BROKEN,
			recording_string(rs->rec, cut_word(BROKEN_CHAIN)));
	*kept = *part + 1;
}

/* Returns the number of frames with which a call chain of E is cut. */
static uint64_t chain_max(const struct perfdata_event *e)
{
	if (e->is_off_cpu)
		return PERFDATA_OFF_CPU_MAX;
	return e->attr.sample_max_stack ? e->attr.sample_max_stack : CHAIN_MAX;
}

static unsigned mode_of_mark(uint64_t mark)
{
	switch (mark) {
	case PERFDATA_MARK_HYPERVISOR:
		return PERFDATA_HYPERVISOR;
	case PERFDATA_MARK_KERNEL:
		return PERFDATA_KERNEL;
	case PERFDATA_MARK_GUEST:
	case PERFDATA_MARK_GUEST_KERNEL:
		return PERFDATA_GUEST_KERNEL;
	case PERFDATA_MARK_GUEST_USER:
		return PERFDATA_GUEST_USER;
	default:
		return PERFDATA_USER;
	}
}

/* Adds the runs of the sample's call chain. */
static void add_chain(struct perfdata_rows *rs, const struct perfdata_event *e, struct parts *parts,
	const struct perfdata_sample *s, unsigned mode)
{
	uint64_t max = chain_max(e), end, seen = 0;

	for (uint64_t i = 0; i < s->nr_chain; i = end) {
		end = i;
		if (s->chain[i] >= PERFDATA_MARKS) {
			mode = mode_of_mark(s->chain[i]);
			end = i + 1;
			if (s->chain[i] == PERFDATA_MARK_DEFERRED && end < s->nr_chain) {
				parts->is_deferred = true;
				parts->cookie = s->chain[end++];
			}
			continue;
		}
		while (end < s->nr_chain && s->chain[end] < PERFDATA_MARKS)
			end++;
		seen += end - i;
		add_run(rs, parts, mode, s->chain + i, end - i, s,
			end == s->nr_chain && seen >= max ? CUT_DEPTH : 0);
	}
}

/* Adds the user stack that the processor has recorded: calls and their targets. */
static void add_branches(
	struct perfdata_rows *rs, struct parts *parts, const struct perfdata_sample *s)
{
	size_t nr = s->nr_branches + 1;
	uint64_t *run = xcalloc(nr, sizeof(*run));

	run[0] = s->branches[1];
	for (uint64_t i = 0; i < s->nr_branches; i++)
		run[i + 1] = s->branches[i * PERFDATA_BRANCH_WORDS];
	perfdata_frames_begin(&rs->frames);
	for (size_t i = 0; i < nr; i++)
		perfdata_frames_user(&rs->frames,
			perfdata_space_find(perfdata_tasks_space(rs->tasks, s->pid), run[i]),
			s->pid, run[i], false);
	parts->user = perfdata_frames_end(&rs->frames, STACK_USER, END_BROKEN, 0);
	free(run);
}

/* Returns what the end of a walk is to a recording, as judge.h does for the engines. */
static enum stack_end judge(struct perfdata_rows *rs, uint32_t *cut_by)
{
	static const enum cut_cause causes[] = {
		[WALK_DEEP] = CUT_DEPTH,
		[WALK_COROUTINE] = CUT_COROUTINE,
		[WALK_NO_READ] = BROKEN_MEMORY,
		[WALK_NO_MAP] = BROKEN_CALLER,
	};
	const struct perfdata_stack *stack = rs->stack;
	enum cut_cause cause = stack->ran_out                   ? CUT_COPY
			       : stack->end < ARRAY_LEN(causes) ? causes[stack->end]
								: 0;
	const struct perfdata_file *f;

	*cut_by = 0;
	if (cause) {
		*cut_by = recording_string(rs->rec, cut_word(cause));
		return cause < BROKEN_FAILED ? END_CUT : END_BROKEN;
	}
	if (stack->end == WALK_ROOT || stack->end != WALK_NO_RULE || stack->last == UINT32_MAX)
		return stack->end == WALK_ROOT ? END_ROOT : END_BROKEN;
	f = &rs->files->list[stack->last];
	char *text =
		f->pid ? xstrdup("[anonymous]") : cut_text(f->gap, recording_get(rs->rec, f->path));

	*cut_by = recording_string(rs->rec, text);
	free(text);
	return END_CUT;
}

/* Unwinds the sample's copy of the stack, if it has one. */
static bool add_copy(struct perfdata_rows *rs, const struct perfdata_event *e, struct parts *parts,
	const struct perfdata_sample *s)
{
	const struct perfdata_space *space = perfdata_tasks_space(rs->tasks, s->pid);
	struct perfdata_stack *stack = rs->stack;
	uint32_t cut_by;

	if (rs->other_processor ||
		!perfdata_unwind(stack, s, e->attr.sample_regs_user, space, rs->files))
		return false;
	perfdata_frames_begin(&rs->frames);
	for (uint32_t i = 0; i < stack->nr; i++)
		perfdata_frames_user(&rs->frames,
			perfdata_space_find(space, stack->addresses[i] - stack->calls[i]), s->pid,
			stack->addresses[i], stack->calls[i]);

	enum stack_end end = judge(rs, &cut_by);

	parts->user = perfdata_frames_end(&rs->frames, STACK_USER, end, cut_by);
	return true;
}

/* Adds the only address of a sample without a call chain. */
static void add_leaf(struct perfdata_rows *rs, struct parts *parts, const struct perfdata_sample *s,
	unsigned mode, enum cut_cause cut)
{
	if (s->has_ip)
		add_run(rs, parts, mode ? mode : PERFDATA_USER, &s->ip, 1, s, cut);
}

static struct parts parts_of(struct perfdata_rows *rs, const struct perfdata_event *e,
	const struct perfdata_sample *s, unsigned mode)
{
	struct parts parts = {NO_STACK, NO_STACK, false, 0};
	bool copied = e->attr.sample_type & PERF_SAMPLE_STACK_USER;

	add_chain(rs, e, &parts, s, mode);
	if (s->nr_branches && s->are_calls && parts.user != NO_STACK)
		add_branches(rs, &parts, s);
	if (copied)
		add_copy(rs, e, &parts, s);
	if (parts.user == NO_STACK && parts.kernel == NO_STACK)
		add_leaf(rs, &parts, s, mode,
			e->attr.sample_type & PERF_SAMPLE_CALLCHAIN ? 0 : CUT_NO_CHAIN);
	return parts;
}

/* Adds one sample to the row of these stacks. */
static void add_row(struct perfdata_rows *rs, const struct perfdata_half *half, uint32_t user)
{
	const uint32_t stacks[] = {user, half->kernel};
	struct rec_row *row = perfdata_frames_row(
		&rs->frames, half->event, half->task, stacks, half->labels, half->sum);
	uint64_t since = half->time > rs->began ? half->time - rs->began : 0;

	if (half->time)
		row->series = series_add(&rs->rec->series, row->series,
			&(struct series_item){(uint32_t)(since / slice_ns) + 1, 0, 1, half->sum});
}

void perfdata_rows_add(struct perfdata_rows *rs, struct perfdata_event *e,
	const struct perfdata_sample *s, unsigned mode)
{
	const uint32_t *labels = s->cgroup ? table_get(&rs->cgroups, s->cgroup, 0) : NULL;

	rs->frames.time = s->time;

	struct parts parts = parts_of(rs, e, s, mode);
	struct perfdata_half half = {
		.cookie = parts.cookie,
		.time = s->time,
		.sum = weight_of(rs, e, s),
		.pid = s->pid,
		.event = event_of(rs, e),
		.task = perfdata_tasks_task(rs->tasks, s->pid, s->tid),
		.kernel = parts.kernel,
		.labels = perfdata_labels_add(&rs->labels, e, s, labels ? *labels : 0),
	};

	if (!rs->began)
		rs->began = s->time;
	rs->ended = s->time > rs->ended ? s->time : rs->ended;
	rs->nr_branched += s->nr_branches && !s->are_calls && !rs->keeps_branches;
	if (rs->keeps_branches && !s->are_calls)
		perfdata_branches_add(&rs->branches, s, perfdata_tasks_space(rs->tasks, s->pid),
			&(struct rec_branch){
				.event = half.event, .task = half.task, .labels = half.labels});
	if (!parts.is_deferred) {
		add_row(rs, &half, parts.user);
		return;
	}
	ALLOC_GROW(rs->halves, rs->nr_halves, rs->halves_alloc);
	rs->halves[rs->nr_halves++] = half;
}

void perfdata_rows_join(
	struct perfdata_rows *rs, uint64_t cookie, const uint64_t *addresses, uint64_t nr)
{
	size_t kept = 0;

	for (size_t i = 0; i < rs->nr_halves; i++) {
		struct perfdata_half half = rs->halves[i];
		const struct perfdata_sample s = {
			.pid = half.pid, .time = half.time, .chain = addresses, .nr_chain = nr};
		const struct perfdata_event e = {.name = NULL};
		struct parts parts = {NO_STACK, NO_STACK, false, 0};

		if (half.cookie != cookie) {
			rs->halves[kept++] = half;
			continue;
		}
		rs->frames.time = half.time;
		add_chain(rs, &e, &parts, &s, PERFDATA_USER);
		add_row(rs, &half, parts.user);
	}
	rs->nr_halves = kept;
}

/* Replaces the series of all rows by series of slices that are 2 to the power of SHIFT as long. */
static void merge_slices(struct recording *rec, unsigned shift)
{
	struct series_pool merged;

	series_init(&merged);
	for (size_t i = 0; i < rec->nr_rows; i++) {
		size_t nr;
		struct series_item *list = series_list(&rec->series, rec->rows[i].series, &nr);

		rec->rows[i].series = 0;
		for (size_t k = 0; k < nr; k++) {
			list[k].slice = ((list[k].slice - 1) >> shift) + 1;
			rec->rows[i].series = series_add(&merged, rec->rows[i].series, &list[k]);
		}
		free(list);
	}
	series_release(&rec->series);
	rec->series = merged;
}

static void forget_slices(struct recording *rec)
{
	for (size_t i = 0; i < rec->nr_rows; i++)
		rec->rows[i].series = 0;
}

static void set_slices(struct perfdata_rows *rs)
{
	uint64_t nr = (rs->ended - rs->began) / slice_ns + 1;
	unsigned shift = 0;

	if (!rs->began || nr > UINT32_MAX) {
		forget_slices(rs->rec);
		return;
	}
	while ((nr - 1) >> shift >= SLICES_SHOWN && slice_ns << shift <= SLICE_MAX_S * 500000000ULL)
		shift++;
	merge_slices(rs->rec, shift);
	rs->rec->slices.ns = slice_ns << shift;
	rs->rec->slices.nr = (uint32_t)((nr - 1) >> shift) + 1;
}

void perfdata_rows_end(struct perfdata_rows *rs)
{
	for (size_t i = 0; i < rs->nr_halves; i++)
		add_row(rs, &rs->halves[i], NO_STACK);
	rs->nr_halves = 0;
	name_events(rs);
	set_slices(rs);
}
