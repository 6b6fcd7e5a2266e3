/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chrome's traces, which many programs write: {"traceEvents": [event, …]}, or the list alone, whose
 * end may be missing. An event is
 *
 *	{"ph": "X", "name", "pid", "tid", "ts": 10, "dur": 5}       a function from 10 to 15 us
 *	{"ph": "B" or "E", "name", "pid", "tid", "ts"}              one that begins or ends
 *	{"ph": "M", "name": "thread_name", "pid", "tid", "args": {"name": "main"}}
 *	{"ph": "P", "name": "Profile" or "ProfileChunk", "pid", "id", "args": {"data": {…}}}
 *	{"ph": "I", "name": "CpuProfile", "pid", "tid", "args": {"data": {"cpuProfile": {…}}}}
 *
 * Others are skipped. Numbers may be strings. If there are CPU profiles of V8, in pieces ("P") or
 * whole ("I"), or samples (see trace_samples.h), these are what is read.
 */
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "module_frame.h"
#include "text_format.h"
#include "trace_samples.h"
#include "v8_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct trace_event {
	uint64_t pid, tid;
	uint64_t from, to; /* ns */
	size_t number;
	uint32_t entry;
};

/* The events of a thread that have begun. */
struct trace_thread {
	uint64_t pid, tid;
	uint32_t name; /* in the profile's names, or 0 */
	struct trace_event *open;
	size_t nr, alloc;
};

struct trace_piece {
	struct json_reader data;
	uint64_t pid, tid;
	uint32_t id; /* in ids */
};

struct trace_reader {
	struct text_input *in;
	struct stacks *stacks;
	struct expansion expansion;
	struct trace_event *events;
	size_t nr, alloc;
	struct trace_thread *threads;
	size_t nr_threads, threads_alloc;
	struct table by_thread; /* pid, tid -> index + 1 */
	struct trace_piece *pieces;
	size_t nr_pieces, pieces_alloc;
	struct strpool ids;
	uint64_t unclosed, wrong;
};

/* An event as it is in the file. */
struct raw_event {
	struct strbuf name, phase, id;
	struct json_number pid, tid, ts, dur;
	struct json_reader args; /* at is NULL if there are none */
};

static struct trace_thread *thread_of(struct trace_reader *r, uint64_t pid, uint64_t tid)
{
	bool is_new;
	uint32_t *at = table_put(&r->by_thread, pid, tid, &is_new);

	if (is_new) {
		ALLOC_GROW(r->threads, r->nr_threads, r->threads_alloc);
		r->threads[r->nr_threads] = (struct trace_thread){.pid = pid, .tid = tid};
		*at = (uint32_t)r->nr_threads++;
	}
	return &r->threads[*at];
}

static void read_event(struct json_reader *j, struct raw_event *e)
{
	struct strbuf member = STRBUF_INIT;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "name"))
				json_read_string(j, &e->name);
			else if (!strcmp(key, "ph"))
				json_read_string(j, &e->phase);
			else if (!strcmp(key, "id"))
				json_read_string(j, &e->id);
			else if (!strcmp(key, "pid"))
				json_read_loosely(j, &e->pid);
			else if (!strcmp(key, "tid"))
				json_read_loosely(j, &e->tid);
			else if (!strcmp(key, "ts"))
				json_read_loosely(j, &e->ts);
			else if (!strcmp(key, "dur"))
				json_read_loosely(j, &e->dur);
			else {
				if (!strcmp(key, "args"))
					e->args = *j;
				json_skip(j);
			}
		}
	strbuf_release(&member);
}

/* Returns a time in us as ns, or 0 if it is not possible. */
static uint64_t ns_of(const struct json_number *us)
{
	double ns = us->value * 1000 + 0.5;

	return ns >= 0 && ns < (double)INT64_MAX / 2 ? (uint64_t)ns : 0;
}

/* Returns the member KEY of OBJECT, or a reader at NULL. */
static struct json_reader member_of(struct json_reader object, const char *key)
{
	struct strbuf member = STRBUF_INIT;
	struct json_reader found = {0};
	const char *name;

	if (object.at && json_begin(&object, '{'))
		while (!found.at && (name = json_next_member(&object, &member))) {
			if (!strcmp(name, key))
				found = object;
			else
				json_skip(&object);
		}
	strbuf_release(&member);
	return found;
}

static void read_name(struct trace_reader *r, const struct raw_event *e)
{
	struct json_reader name = member_of(e->args, "name");
	struct strbuf text = STRBUF_INIT;

	if (!strcmp(e->name.buf, "thread_name") && name.at && json_read_string(&name, &text))
		thread_of(r, e->pid.whole, e->tid.whole)->name =
			strpool_add(&r->in->p->names, text.buf, text.len);
	strbuf_release(&text);
}

static void add_event(struct trace_reader *r, const struct trace_event *event)
{
	if (event->to <= event->from)
		return;
	ALLOC_GROW(r->events, r->nr, r->alloc);
	r->events[r->nr] = *event;
	r->events[r->nr].number = r->nr;
	r->nr++;
}

static struct trace_event event_of(struct trace_reader *r, const struct raw_event *e)
{
	const struct module_frame frame = {
		.name = e->name.buf, .name_len = e->name.len, .module = ""};
	struct trace_event event = {
		.pid = e->pid.whole, .tid = e->tid.whole, .from = ns_of(&e->ts)};

	event.entry = module_frame_entry(r->stacks, &frame);
	event.to = event.from + ns_of(&e->dur);
	return event;
}

static void begin_event(struct trace_reader *r, const struct raw_event *e)
{
	struct trace_thread *t = thread_of(r, e->pid.whole, e->tid.whole);

	ALLOC_GROW(t->open, t->nr, t->alloc);
	t->open[t->nr++] = event_of(r, e);
}

static void end_event(struct trace_reader *r, const struct raw_event *e)
{
	struct trace_thread *t = thread_of(r, e->pid.whole, e->tid.whole);

	if (!t->nr) {
		r->wrong++;
		return;
	}
	t->open[t->nr - 1].to = ns_of(&e->ts);
	add_event(r, &t->open[--t->nr]);
}

/* Adds a piece of the profile with this ID and process. */
static void add_piece(
	struct trace_reader *r, const struct raw_event *e, const char *id, size_t id_len)
{
	struct json_reader data = member_of(e->args, "data");

	if (!data.at)
		return;
	ALLOC_GROW(r->pieces, r->nr_pieces, r->pieces_alloc);
	r->pieces[r->nr_pieces++] = (struct trace_piece){
		data, e->pid.whole, e->tid.whole, strpool_add(&r->ids, id, id_len)};
}

/* Adds a profile that is in one piece. */
static void add_whole(struct trace_reader *r, const struct raw_event *e)
{
	char *id = xasprintf("whole %zu", r->nr_pieces);

	add_piece(r, e, id, strlen(id));
	free(id);
}

static void take_event(struct trace_reader *r, const struct raw_event *e)
{
	struct trace_event event;

	switch (e->phase.buf[0]) {
	case 'X':
		event = event_of(r, e);
		add_event(r, &event);
		break;
	case 'B':
		begin_event(r, e);
		break;
	case 'E':
		end_event(r, e);
		break;
	case 'M':
		read_name(r, e);
		break;
	case 'P':
		if (!strcmp(e->name.buf, "Profile") || !strcmp(e->name.buf, "ProfileChunk"))
			add_piece(r, e, e->id.buf, e->id.len);
		break;
	case 'I':
		if (!strcmp(e->name.buf, "CpuProfile"))
			add_whole(r, e);
		break;
	}
}

static void read_events(struct trace_reader *r, struct json_reader *j)
{
	struct raw_event e = {.name = STRBUF_INIT, .phase = STRBUF_INIT, .id = STRBUF_INIT};

	if (json_begin(j, '['))
		while (json_next(j)) {
			struct raw_event next = {.name = e.name, .phase = e.phase, .id = e.id};

			e = next;
			strbuf_reset(&e.name);
			strbuf_reset(&e.phase);
			strbuf_reset(&e.id);
			read_event(j, &e);
			if (!j->bad)
				take_event(r, &e);
		}
	strbuf_release(&e.name);
	strbuf_release(&e.phase);
	strbuf_release(&e.id);
}

static int compare(const void *a, const void *b)
{
	const struct trace_event *x = a, *y = b;
	int order = compare_u64(x->pid, y->pid);

	if (!order)
		order = compare_u64(x->tid, y->tid);
	if (!order)
		order = compare_u64(x->from, y->from);
	if (!order)
		order = compare_u64(y->to, x->to); /* the caller is the longer one */
	return order ? order : compare_u64(x->number, y->number);
}

/* Returns the root frame of the thread's stacks, or STACKS_OTHER_TASK. */
static uint32_t task_of(void *arg, uint64_t pid, uint64_t tid)
{
	struct trace_reader *r = arg;
	const struct text_options *o = r->in->options;
	uint32_t name = thread_of(r, pid, tid)->name;
	char *comm = name ? xstrdup(strpool_get(&r->in->p->names, name))
			  : xasprintf("%" PRIu64, o->processes ? pid : tid);
	struct task task = {pid, tid, comm, strlen(comm)};
	uint32_t root = stacks_task(r->stacks, &task,
		!name          ? 0
		: o->threads   ? tid
		: o->processes ? pid
			       : 0);

	free(comm);
	return root;
}

/* The functions of one thread that are open, root first, as a tree with one branch. */
struct trace_walk {
	struct trace_reader *r;
	struct json_tree tree;
	uint64_t *ends;
	size_t ends_alloc;
	uint64_t now;
	uint32_t task;
};

/* Adds the time until TO, and closes what ends before. */
static void advance(struct trace_walk *w, uint64_t to)
{
	while (w->tree.nr && w->now < to) {
		uint64_t end = w->ends[w->tree.nr - 1], until = end < to ? end : to;

		if (until > w->now && w->task != STACKS_OTHER_TASK)
			json_tree_add(&w->tree, (uint32_t)w->tree.nr - 1, w->task, until - w->now);
		w->now = until > w->now ? until : w->now;
		if (end > to)
			break;
		w->tree.nr--;
	}
	w->now = to;
	while (w->tree.nr && w->ends[w->tree.nr - 1] <= to)
		w->tree.nr--;
}

/* Opens EVENT, which ends with its caller at the latest. */
static void open_event(struct trace_walk *w, const struct trace_event *event)
{
	size_t nr = w->tree.nr;
	uint64_t end = nr && w->ends[nr - 1] < event->to ? w->ends[nr - 1] : event->to;

	ALLOC_GROW(w->ends, nr, w->ends_alloc);
	w->ends[nr] = end;
	ALLOC_GROW(w->tree.nodes, w->tree.nr, w->tree.alloc);
	w->tree.nodes[w->tree.nr++] =
		(struct json_node){nr ? (uint32_t)nr - 1 : JSON_NONE, event->entry};
}

static void add_events(struct trace_reader *r)
{
	struct trace_walk w = {.r = r};

	w.tree = (struct json_tree){.in = r->in, .stacks = r->stacks, .expansion = r->expansion};
	if (r->nr)
		qsort(r->events, r->nr, sizeof(*r->events), compare);
	for (size_t i = 0; i < r->nr; i++) {
		const struct trace_event *e = &r->events[i];

		if (!i || e->pid != e[-1].pid || e->tid != e[-1].tid) {
			advance(&w, UINT64_MAX);
			w.now = 0;
			w.task = task_of(r, e->pid, e->tid);
		}
		advance(&w, e->from);
		open_event(&w, e);
	}
	advance(&w, UINT64_MAX);
	r->wrong += w.tree.wrong;
	json_tree_release(&w.tree);
	free(w.ends);
	profile_set(&r->in->p->unit, "ns");
}

/* Adds the profile with the ID and process of piece FIRST, unless a piece before belongs to it. */
static void add_profile(struct trace_reader *r, size_t first)
{
	const struct trace_piece *piece = &r->pieces[first];
	struct v8_profile v;
	uint32_t task;

	for (size_t i = 0; i < first; i++)
		if (r->pieces[i].id == piece->id && r->pieces[i].pid == piece->pid)
			return;
	task = task_of(r, piece->pid, piece->tid);
	v8_profile_init(&v, r->in, r->stacks, r->expansion);
	for (size_t i = first; i < r->nr_pieces; i++)
		if (r->pieces[i].id == piece->id && r->pieces[i].pid == piece->pid) {
			struct json_reader data = r->pieces[i].data;

			v8_profile_members(&v, &data);
		}
	if (task != STACKS_OTHER_TASK)
		v8_profile_add(&v, task);
	r->wrong += v.tree.wrong;
	v8_profile_release(&v);
	profile_set(&r->in->p->unit, "us");
}

/* Returns whether the file has samples. */
static bool add_samples(struct trace_reader *r, struct json_reader object)
{
	struct json_tree tree = {.in = r->in, .stacks = r->stacks, .expansion = r->expansion};
	uint64_t nr;

	if (json_peek(&object) == '[')
		return false;
	nr = trace_samples_read(
		&tree, member_of(object, "samples"), member_of(object, "stackFrames"), task_of, r);
	r->wrong += tree.wrong;
	json_tree_release(&tree);
	if (nr)
		profile_set(&r->in->p->unit, "samples");
	return nr;
}

static int end(struct trace_reader *r, bool has_samples, bool is_cut)
{
	struct strbuf *notes = r->in->notes;

	if (is_cut)
		strbuf_adds(notes, "it ends early or is damaged: what is before is used\n");
	if (r->unclosed)
		strbuf_addf(
			notes, "functions left out: %" PRIu64 ", which do not end\n", r->unclosed);
	if (r->wrong)
		strbuf_addf(notes,
			has_samples ? "samples left out: %" PRIu64
				      ", of frames that are not there\n"
				    : "events left out: %" PRIu64
				      ", of functions that have not begun\n",
			r->wrong);
	add_capped(&r->in->p->account.lost[LOST_UNREADABLE], r->wrong);
	return is_cut || r->wrong || r->unclosed;
}

int chrome_trace_read(struct text_input *in, struct json_reader object, struct stacks *stacks,
	struct expansion expansion)
{
	struct trace_reader r = {.in = in, .stacks = stacks, .expansion = expansion};
	struct json_reader events =
		json_peek(&object) == '[' ? object : member_of(object, "traceEvents");
	bool has_samples;
	int ret;

	table_init(&r.by_thread);
	strpool_init(&r.ids);
	read_events(&r, &events);
	for (size_t i = 0; i < r.nr_pieces; i++)
		add_profile(&r, i);
	has_samples = r.nr_pieces || add_samples(&r, object);
	for (size_t i = 0; i < r.nr_threads; i++)
		r.unclosed += has_samples ? 0 : r.threads[i].nr;
	if (!has_samples)
		add_events(&r);
	ret = end(&r, has_samples, events.bad);
	for (size_t i = 0; i < r.nr_threads; i++)
		free(r.threads[i].open);
	free(r.threads);
	free(r.events);
	free(r.pieces);
	table_release(&r.by_thread);
	strpool_release(&r.ids);
	return ret;
}
