/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts the rows of a recording to a call tree. */
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "lib/word.h"
#include "place.h"
#include "recording.h"
#include "scheduler.h"
#include "waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Deeper stacks are added only once for each parent node, even if many rows have them. */
enum { DEEP = 64 };

/*
 * With label_sets, each stack is repeated for each of its label sets. This many frames take 200 MB.
 */
enum { LABELLED_MAX = 1 << 26 };

/*
 * A hostile recording of 1 MB could become a tree of billions of nodes, by long lists of inlined
 * calls in long stacks of many threads. Real recordings need fewer nodes for each row and each
 * frame of a stack.
 */
enum { NODES_ANY = 1 << 20, NODES_EACH = 128 };

enum { SECOND = 1000000000 }; /* ns */

struct tree_builder {
	const struct recording *rec;
	const struct recording_view *view;
	struct profile *p;
	/*
	 * For each frame of the recording, its frames in the profile, innermost inlined first. Made
	 * at the first use.
	 */
	uint32_t **frames;
	uint32_t **waking; /* the same for stacks of wakers */
	uint32_t node;     /* node of the profile that the row has reached */
	uint32_t before;   /* the node below the first stack of the row */
	uint32_t leaf;     /* the node of the last frame of the row's stacks */
	struct table deep; /* (node, stack of the recording and is_wait) → node */
	uint32_t *leaders; /* by task: the main thread of its process, or another thread */
	uint64_t nodes_max;
	bool is_cut;       /* the stacks of this row need more nodes */
	uint64_t labelled; /* number of frames in rows whose labels are shown */
	bool states;       /* add the note of each row's state */
	bool *scheduler;   /* by frame of the recording: left out at the leaf of waits; or NULL */
	bool is_wait;      /* the row is a wait whose leaf is the function that waits */
	struct strbuf text;
};

static uint64_t nodes_max(const struct recording *rec, const struct profile *p)
{
	uint64_t parts = rec->nr_rows + rec->nr_refs;

	return p->nr_nodes + NODES_ANY + NODES_EACH * parts;
}

static void push(struct tree_builder *b, uint32_t frame)
{
	b->node = profile_child(b->p, b->node, frame);
}

/* Works like push(), for the frames of stacks: adds nothing if the tree has become too large. */
static void push_frame(struct tree_builder *b, uint32_t frame)
{
	if (b->p->nr_nodes < b->nodes_max)
		push(b, frame);
	else
		b->is_cut = true;
}

static void push_text(struct tree_builder *b, enum frame_kind kind)
{
	push(b, profile_frame(b->p, kind, b->text.buf, b->text.len, NULL, 0));
}

static const char *module_of(const struct recording *rec, const struct rec_frame *f)
{
	return f->place == AT_MAP ? recording_get(rec, rec->maps[f->map].path) : "";
}

void recording_add_unnamed(
	const struct recording *rec, const struct rec_frame *f, struct strbuf *out)
{
	const char *module = module_of(rec, f);

	if (f->start && *module)
		strbuf_addf(out, "%s+0x%" PRIx64 "%s", file_name(module), f->start,
			f->cold ? ".cold" : "");
	else
		strbuf_addf(out, *module == '[' ? "%s" : "[%s]",
			*module ? file_name(module) : "unknown");
}

/* Returns the place of a frame in the kernel, or in the kernel module that its name has. */
static uint32_t kernel_place(struct tree_builder *b, const struct rec_frame *f)
{
	uint32_t module = f->nr_names ? b->rec->names[f->names].module : 0;
	uint32_t build = recording_find_module(b->rec, recording_get(b->rec, module)).build_id;

	return place_add(&b->p->names, f->addr - f->call, recording_get(b->rec, build),
		strpool_len(&b->rec->strings, build));
}

/*
 * Returns the place of F, or 0 if it is unknown or not requested. A caller's place is in its call
 * instruction.
 */
static uint32_t place_of(struct tree_builder *b, const struct rec_frame *f)
{
	if (!b->view->places || f->place == AT_NAME)
		return 0;
	if (f->place == AT_ADDRESS)
		return f->kind == FRAME_KERNEL ? kernel_place(b, f)
					       : place_add(&b->p->names, f->addr - f->call, "", 0);
	const struct rec_map *map = &b->rec->maps[f->map];

	return place_add(&b->p->names, map->has_link ? map->link + f->addr - f->call : 0,
		recording_get(b->rec, map->build_id), strpool_len(&b->rec->strings, map->build_id));
}

static uint32_t unnamed_frame(struct tree_builder *b, const struct rec_frame *f)
{
	const char *module = module_of(b->rec, f);

	strbuf_reset(&b->text);
	recording_add_unnamed(b->rec, f, &b->text);
	struct frame frame = {
		.name = strpool_add(&b->p->names, b->text.buf, b->text.len),
		.module = strpool_adds(&b->p->names, module),
		.place = place_of(b, f),
		.kind = f->kind,
	};

	return profile_add_frame(b->p, &frame);
}

static uint32_t intern(struct tree_builder *b, uint32_t string)
{
	return strpool_add(
		&b->p->names, recording_get(b->rec, string), strpool_len(&b->rec->strings, string));
}

/* Returns "file.c:12", or 0 if it is unknown or not requested. */
static uint32_t source_of(struct tree_builder *b, const struct rec_name *n)
{
	if (!b->view->lines || !n->file || !n->line)
		return 0;
	strbuf_reset(&b->text);
	const char *path = recording_get(b->rec, n->file);

	strbuf_addf(&b->text, "%s:%" PRIu32, b->view->paths ? path : file_name(path), n->line);
	return strpool_add(&b->p->names, b->text.buf, b->text.len);
}

static uint32_t named_frame(
	struct tree_builder *b, const struct rec_frame *f, const struct rec_name *n, bool inlined)
{
	uint32_t path = f->place == AT_MAP ? b->rec->maps[f->map].path : 0;
	struct frame frame = {
		.name = intern(b, n->function),
		.module = intern(b, n->module ? n->module : path),
		.source = source_of(b, n),
		.place = place_of(b, f),
		.kind = inlined ? FRAME_INLINE : f->kind,
		.file = n->line ? intern(b, n->file) : 0,
		.first_line = n->line,
		.last_line = n->line,
	};

	return profile_add_frame(b->p, &frame);
}

/* Returns the profile's frames for frame ID of the recording: one, or one for each inlined call. */
static const uint32_t *frames_of(struct tree_builder *b, uint32_t id)
{
	const struct recording *rec = b->rec;
	const struct rec_frame *f = &rec->frames[id];

	if (b->frames[id])
		return b->frames[id];
	uint32_t *list = xcalloc(f->nr_names + 1, sizeof(*list));

	if (!f->nr_names)
		list[0] = unnamed_frame(b, f);
	for (uint32_t i = 0; i < f->nr_names; i++)
		list[i] = named_frame(b, f, &rec->names[f->names + i], i + 1 < f->nr_names);
	b->frames[id] = list;
	return list;
}

/* Returns frames_of() in stacks of wakers. */
static const uint32_t *waking_frames_of(struct tree_builder *b, uint32_t id)
{
	const uint32_t *from = frames_of(b, id);
	uint32_t nr = b->rec->frames[id].nr_names;

	if (b->waking[id])
		return b->waking[id];
	uint32_t *list = xcalloc(nr + 1, sizeof(*list));

	for (uint32_t i = 0; i < (nr ? nr : 1); i++) {
		struct frame frame = b->p->frames[from[i]];

		if (frame.kind != FRAME_NOTE)
			frame.kind = FRAME_WAKER;
		list[i] = profile_add_frame(b->p, &frame);
	}
	return b->waking[id] = list;
}

static void push_end(struct tree_builder *b, const struct rec_stack *stack)
{
	strbuf_reset(&b->text);
	recording_add_end(b->rec, stack, &b->text);
	if (b->text.len)
		push_text(b, FRAME_NOTE);
}

/* Returns for each frame whether it is a function of the scheduler. The caller frees the array. */
static bool *find_scheduler(const struct recording *rec)
{
	bool *found = xcalloc(rec->nr_frames + 1, sizeof(*found));

	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];
		uint32_t last = f->nr_names ? rec->names[f->names + f->nr_names - 1].function : 0;

		found[i] =
			f->kind == FRAME_KERNEL && last &&
			scheduler_has(recording_get(rec, last), strpool_len(&rec->strings, last));
	}
	return found;
}

/*
 * Returns the number of frames at the leaf of STACK that only belong to the scheduler. One frame is
 * left if the row has no other.
 */
static uint32_t scheduler_depth(const struct tree_builder *b, const struct rec_stack *stack)
{
	uint32_t nr = 0, max = stack->nr - (stack->nr && b->node == b->before);

	while (b->is_wait && nr < max && b->scheduler[b->rec->frame_refs[stack->first + nr]])
		nr++;
	return nr;
}

/* Pushes the frames of wakers, which lie upside down: callers are above the functions they call. */
static void push_wakers(struct tree_builder *b, const struct rec_stack *stack)
{
	for (uint32_t i = stack->nr; i-- && !b->is_cut;) {
		uint32_t id = b->rec->frame_refs[stack->first + i];
		uint32_t nr = b->rec->frames[id].nr_names;

		for (uint32_t k = 0; k < (nr ? nr : 1) && !b->is_cut; k++)
			push_frame(b, waking_frames_of(b, id)[k]);
	}
	push_end(b, stack);
}

static void push_stack(struct tree_builder *b, const struct rec_stack *stack)
{
	uint32_t left_out;

	if (stack->kind == STACK_WAKER) {
		push_wakers(b, stack);
		return;
	}
	left_out = scheduler_depth(b, stack);
	push_end(b, stack);
	for (uint32_t i = stack->nr; i-- > left_out && !b->is_cut;) {
		uint32_t id = b->rec->frame_refs[stack->first + i];
		const uint32_t *list = frames_of(b, id);
		uint32_t nr = b->rec->frames[id].nr_names;

		push_frame(b, list[nr ? nr - 1 : 0]);
		for (uint32_t k = nr ? nr - 1 : 0; k-- && !b->is_cut;)
			push_frame(b, list[k]);
	}
}

static void push_deep(struct tree_builder *b, uint32_t stack)
{
	bool is_new;
	uint32_t *at = table_put(&b->deep, b->node, (uint64_t)stack << 1 | b->is_wait, &is_new);

	if (is_new) {
		push_stack(b, &b->rec->stacks[stack]);
		*at = b->node;
	}
	b->node = *at;
}

/* Returns the leader of each task. The caller frees the array. */
static uint32_t *find_leaders(const struct recording *rec)
{
	uint32_t *leaders = xcalloc(rec->nr_tasks, sizeof(*leaders));
	struct table of_pid;
	bool is_new;

	table_init(&of_pid);
	for (uint32_t i = 0; i < rec->nr_tasks; i++) {
		const struct rec_task *t = &rec->tasks[i];
		uint32_t *leader = table_put(&of_pid, t->pid, 0, &is_new);

		if (is_new || t->pid == t->tid)
			*leader = i;
	}
	for (uint32_t i = 0; i < rec->nr_tasks; i++)
		leaders[i] =
			rec->tasks[i].pid ? *table_put(&of_pid, rec->tasks[i].pid, 0, &is_new) : i;
	table_release(&of_pid);
	return leaders;
}

/* Pushes "comm/ID", or "comm" if ID is 0. */
static void push_comm(struct tree_builder *b, const struct rec_task *task, uint32_t id)
{
	const char *comm = recording_get(b->rec, task->comm);

	strbuf_reset(&b->text);
	strbuf_adds(&b->text, *comm ? comm : "[unknown]");
	if (id)
		strbuf_addf(&b->text, "/%u", id);
	push_text(b, FRAME_TASK);
}

static void push_task(struct tree_builder *b, uint32_t id)
{
	const struct rec_task *task = &b->rec->tasks[id];
	const struct rec_task *leader = b->leaders ? &b->rec->tasks[b->leaders[id]] : NULL;

	if (leader)
		push_comm(b, leader, leader->pid);
	if (b->view->threads)
		push_comm(b, task, task->tid);
	else if (b->view->comm && !leader)
		push_comm(b, task, 0);
}

static void push_stacks(struct tree_builder *b, const struct rec_row *row, enum stack_kind kind)
{
	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *stack = &b->rec->stacks[row->stacks[i]];

		if (stack->kind != kind)
			continue;
		if (stack->nr > DEEP)
			push_deep(b, row->stacks[i]);
		else
			push_stack(b, stack);
	}
}

static void push_label(struct tree_builder *b, enum frame_kind kind, enum frame_label label)
{
	struct frame frame = {
		.name = strpool_add(&b->p->names, b->text.buf, b->text.len),
		.kind = kind,
		.label = label,
	};

	push(b, profile_add_frame(b->p, &frame));
}

/*
 * Sets the text to the value of the row's label KEY. If it has none, sets the text to a note that
 * says so, and returns false.
 */
static bool set_label_text(struct tree_builder *b, const struct rec_row *row, const char *key)
{
	size_t len;
	const char *value = recording_label(b->rec, row, key, &len);

	strbuf_reset(&b->text);
	strbuf_add(&b->text, value, len);
	if (!len)
		recording_add_no_label(key, &b->text);
	return len;
}

static void push_by(struct tree_builder *b, const struct rec_row *row, const char *key)
{
	bool has_value = set_label_text(b, row, key);

	push_label(b, has_value ? FRAME_TASK : FRAME_NOTE, LABEL_BY);
}

static void push_state(struct tree_builder *b, const struct rec_row *row)
{
	strbuf_reset(&b->text);
	recording_add_state(b->rec, row, &b->text);
	if (b->text.len)
		push_label(b, FRAME_NOTE, LABEL_STATE);
	*(b->text.len ? &b->p->states : &b->p->no_states) = true;
}

static void push_label_set(struct tree_builder *b, const struct rec_row *row)
{
	uint32_t pairs[LABEL_SET_MAX];
	size_t nr = labels_get(&b->rec->labels, row->labels, pairs);
	const struct strpool *strings = &b->rec->strings;

	for (int i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++)
		b->labelled += b->rec->stacks[row->stacks[i]].nr;
	if (b->labelled > LABELLED_MAX) {
		add_capped(&b->p->unlabelled, row->sum);
		return;
	}
	strbuf_reset(&b->text);
	for (size_t i = 0; i < nr; i++) {
		const struct label *l = &b->rec->labels.pairs[pairs[i]];

		strbuf_adds(&b->text, i ? " " : "");
		word_add(&b->text, strpool_get(strings, l->key), strpool_len(strings, l->key));
		strbuf_addch(&b->text, ' ');
		word_add(&b->text, strpool_get(strings, l->value), strpool_len(strings, l->value));
	}
	push_label(b, FRAME_NOTE, LABEL_SET);
}

static bool is_wait(const struct recording *rec, const struct rec_row *row)
{
	size_t len;

	return wait_is_off_cpu(recording_label(rec, row, RECORDING_STATE, &len));
}

/* Sets b->node to the end of the row's stack. */
static void push_row(struct tree_builder *b, const struct rec_row *row)
{
	b->is_wait = b->scheduler && is_wait(b->rec, row);
	b->node = 0;
	b->is_cut = false;
	if (b->view->by)
		push_by(b, row, b->view->by);
	for (size_t i = 0; b->view->by_more[i]; i++)
		push_by(b, row, b->view->by_more[i]);
	push_task(b, row->task);
	b->before = b->node;
	for (size_t k = 0; k < ARRAY_LEN(stack_order); k++)
		push_stacks(b, row, stack_order[k]);
	if (b->is_cut || b->node == b->before) {
		strbuf_reset(&b->text);
		strbuf_adds(&b->text, b->is_cut ? "[truncated: too many frames]" : "[no stack]");
		push_text(b, FRAME_NOTE);
	}
	b->leaf = b->node;
	if (b->states)
		push_state(b, row);
	if (b->view->label_sets && row->labels)
		push_label_set(b, row);
}

static void add_row(struct tree_builder *b, const struct rec_row *row)
{
	push_row(b, row);
	add_capped(&b->p->nodes[b->node].self, row->sum);
	if (b->view->times)
		profile_times_add(&b->p->times, b->node, &b->rec->series, row->series);
}

/* Sets the text to the function at the leaf of the row. */
static void set_leaf_text(struct tree_builder *b)
{
	size_t len;
	const char *name = profile_name(b->p, b->p->nodes[b->leaf].frame, &len);

	strbuf_reset(&b->text);
	strbuf_add(&b->text, name, len);
}

/*
 * Adds the row, which has just been added to the tree, to the distribution of its value of the
 * label given by --by, or of its function.
 */
static void add_range(struct tree_builder *b, const struct rec_row *row)
{
	size_t len;
	const char *range = recording_label(b->rec, row, RECORDING_RANGE, &len);

	if (!len)
		return;
	strbuf_reset(&b->text);
	if (b->view->range_by_leaf)
		set_leaf_text(b);
	else if (b->view->by)
		set_label_text(b, row, b->view->by);
	ranges_add(&b->p->ranges, b->text.buf, b->text.len, range, row->count, row->sum);
}

uint64_t recording_started(const struct recording *rec)
{
	const char *s = recording_meta(rec, "started");
	struct tm tm = {0};
	const char *end = s ? strptime(s, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;
	time_t t = end && !*end ? timegm(&tm) : 0;

	return t > 0 && t < INT64_MAX / SECOND ? (uint64_t)t * SECOND : 0;
}

static uint64_t parse_seconds(const char *s)
{
	double seconds = s ? strtod(s, NULL) : 0;

	return seconds > 0 && seconds < 1e9 ? (uint64_t)(seconds * SECOND) : 0;
}

static uint32_t parse_cpus(const char *s)
{
	unsigned long cpus = s ? strtoul(s, NULL, 10) : 0;

	return cpus <= UINT32_MAX ? (uint32_t)cpus : 0;
}

struct timing recording_timing(const struct recording *rec, const struct rec_event *event)
{
	bool ticks = !strcmp(recording_get(rec, event->clock), "cpu") && event->period <= INT64_MAX;

	return (struct timing){
		.started = recording_started(rec) ? recording_started(rec) + rec->slices.begin : 0,
		.duration = parse_seconds(recording_meta(rec, "seconds")),
		.period = ticks ? event->period : 0,
		.cpus = parse_cpus(recording_meta(rec, "cpus")),
	};
}

static void set_heading(const struct recording *rec, struct profile *p)
{
	const char *heading = recording_meta(rec, "heading");

	if (heading || recording_meta(rec, "title"))
		profile_set(&p->title, heading ? heading : recording_meta(rec, "title"));
	p->titled = heading != NULL;
	profile_set(&p->origin.target, recording_meta(rec, "target"));
	profile_set(&p->origin.host, recording_meta(rec, "host"));
	profile_set(&p->origin.engine, recording_meta(rec, "engine"));
}

/* Returns the counts in UNIT, which may be new, or NULL if there is no room for them. */
static struct value_counts *counts_in(struct profile *p, const char *unit)
{
	for (size_t i = 0; i < COUNTED_MAX; i++) {
		struct value_counts *c = &p->counted[i];

		if (!c->unit)
			profile_set(&c->unit, unit);
		if (!strcmp(c->unit, unit))
			return c;
	}
	return NULL;
}

/* Counts what ROW stands for, in the stack of the row if it has one. */
static void count_row(struct tree_builder *b, const struct rec_row *row)
{
	const struct rec_event *event = &b->rec->events[row->event];
	struct value_counts *c = counts_in(b->p, recording_get(b->rec, event->unit));

	if (!c)
		return;
	if (row->stacks[0] != NO_STACK) {
		c->stacks = true;
		push_row(b, row);
		value_counts_add_node(c, b->node, row->sum);
	} else if (b->view->by) {
		set_label_text(b, row, b->view->by);
		value_counts_add(c, b->text.buf, b->text.len, row->sum);
	}
}

/* Counts what the events that only count stand for, such as requests or calls. */
static void count_things(struct tree_builder *b)
{
	const struct recording *rec = b->rec;
	bool *counts = recording_counting_events(rec, b->view);

	for (size_t i = 0; i < rec->nr_rows; i++)
		if (counts[rec->rows[i].event] && recording_selects(rec, b->view, &rec->rows[i]))
			count_row(b, &rec->rows[i]);
	free(counts);
}

static struct recording_view settle_timeline(
	const struct recording *rec, const struct recording_view *of)
{
	struct recording_view view = *of;

	if (view.timeline && rec->slices.nr)
		view.times = view.threads = view.processes = true;
	return view;
}

void recording_to_profile(
	const struct recording *rec, const struct recording_view *of, struct profile *p)
{
	const struct recording_view settled = settle_timeline(rec, of), *view = &settled;
	struct tree_builder b = {
		.rec = rec,
		.view = view,
		.p = p,
		.frames = xcalloc(rec->nr_frames, sizeof(*b.frames)),
		.waking = xcalloc(rec->nr_frames, sizeof(*b.waking)),
		.leaders = view->processes ? find_leaders(rec) : NULL,
		.nodes_max = nodes_max(rec, p),
		.states = view->note_states || recording_mixes_states(rec, view),
		.scheduler = view->scheduler || !recording_has_waits(rec, view)
				     ? NULL
				     : find_scheduler(rec),
		.text = STRBUF_INIT,
	};
	uint32_t event = recording_viewed_event(rec, view);

	table_init(&b.deep);
	for (size_t i = 0; i < rec->nr_rows; i++)
		if (recording_shows(rec, view, &rec->rows[i])) {
			add_row(&b, &rec->rows[i]);
			add_range(&b, &rec->rows[i]);
		}
	if (view->by || view->counts)
		count_things(&b);
	if (event < rec->nr_events) {
		profile_set(&p->unit, recording_get(rec, rec->events[event].unit));
		struct timing timing = recording_timing(rec, &rec->events[event]);

		timing_add(&p->timing, &timing);
	}
	if (view->times) {
		p->times.slice_ns = rec->slices.ns;
		p->times.begin_ns = rec->slices.begin;
		p->times.nr = rec->slices.nr;
	}
	set_heading(rec, p);
	recording_account(rec, view, &p->account);
	recording_cuts(rec, view, &p->cuts);
	for (size_t i = 0; i < rec->nr_frames; i++) {
		free(b.frames[i]);
		free(b.waking[i]);
	}
	free(b.frames);
	free(b.waking);
	free(b.leaders);
	free(b.scheduler);
	table_release(&b.deep);
	strbuf_release(&b.text);
}
