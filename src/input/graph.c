/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of kernel functions with their times, as the tracer function_graph prints them:
 *
 *	 CPU) COMM-PID |               |  NAME() {      the task is printed with funcgraph-proc
 *	 CPU) COMM-PID |   1.234 us    |    NAME();     each level is indented by two blanks
 *	 CPU) COMM-PID | + 12.345 us   |  }
 *	 CPU) COMM-PID => COMM-PID                      without funcgraph-proc, when the task
 *changes
 *
 * and as trace-cmd report prints them:
 *
 *	COMM-PID [CPU] TIME: funcgraph_entry:  1.234 us  |    NAME();
 *
 * The weight of a stack is the time of its leaf without the time of the calls that it makes, in
 * nanoseconds, or with the event "calls" the number of calls. A call counts when it returns. The
 * calls of a task are in a lane; if tasks are not known, the calls of a processor are.
 */
#include "graphline.h"
#include "lib/pattern.h"
#include "lib/table.h"
#include "notes.h"
#include "text_reader.h"

#include <stdlib.h>
#include <string.h>

enum { UNREAD = NOTES_COMMON, UNTIMED, UNFINISHED, UNBEGUN, LOST };

static const struct text_note_kind notes[] = {
	{"lines left out: not of function_graph", NOTE_INFO},
	{"calls left out: their time is not printed", NOTE_LOST},
	{"calls left out: they do not return in this trace", NOTE_INFO},
	{"returns left out: their calls are not in this trace", NOTE_INFO},
	{"gaps: the kernel's buffer was full, make it larger", NOTE_PART},
};

/* A call that has not returned. */
struct graph_call {
	uint32_t entry, depth;
	uint64_t inner; /* ns of the calls that it has made */
};

struct graph_lane {
	uint32_t cpu;  /* where it ran last */
	uint32_t task; /* root frame, or 0 if it is not known */
	bool is_named; /* the kernel has printed the name of the task, not <...> */
	struct graph_call *calls;
	size_t nr, alloc;
};

struct graph_reader {
	struct text_reader text;
	bool counts; /* calls, not their times */
	struct graph_lane *lanes;
	size_t nr_lanes, lanes_alloc;
	struct table by_task; /* pid, or 0 and CPU -> number of the lane */
	struct table on_cpu;  /* CPU -> number of the lane that runs there */
};

/* ---- lanes ---- */

/* Returns the root frame of a task, or 0 if it is not known. */
static uint32_t task_frame(struct graph_reader *r, const struct task *task)
{
	const struct text_options *options = r->text.in->options;
	bool with_id = options->threads || options->processes;

	return task->len ? stacks_task(&r->text.stacks, task, with_id ? task->pid : 0) : 0;
}

/* Returns the number of the lane of a task, or of a processor if PID is 0. */
static uint32_t lane_of(struct graph_reader *r, const struct graph_line *g)
{
	bool is_new;
	uint32_t *number =
		table_put(&r->by_task, g->task.pid, g->task.pid ? 0 : g->cpu + 1ULL, &is_new);

	if (!is_new)
		return *number;
	ALLOC_GROW(r->lanes, r->nr_lanes, r->lanes_alloc);
	*number = (uint32_t)r->nr_lanes;
	r->lanes[r->nr_lanes++] = (struct graph_lane){.task = task_frame(r, &g->task)};
	return (uint32_t)r->nr_lanes - 1;
}

/* Returns the lane of the line: of its task or, if that is not printed, of who runs on its CPU. */
static struct graph_lane *find_lane(struct graph_reader *r, const struct graph_line *g)
{
	const uint32_t *known = g->task.len ? NULL : table_get(&r->on_cpu, g->cpu, 0);
	uint32_t number = known ? *known : lane_of(r, g);
	struct graph_lane *lane = &r->lanes[number];

	lane->cpu = g->cpu;
	if (g->task.len && !lane->is_named) {
		lane->is_named = *g->task.comm != '<';
		lane->task = task_frame(r, &g->task);
	}
	return lane;
}

/*
 * Makes the task of the line the one that runs on its processor. If it is the first one that is
 * known, the calls there so far were made by the task before it.
 */
static void switch_task(struct graph_reader *r, const struct graph_line *g)
{
	const uint32_t *unknown = table_get(&r->by_task, 0, g->cpu + 1ULL);
	bool is_new;

	if (unknown && !table_get(&r->on_cpu, g->cpu, 0)) {
		uint32_t number = *unknown;
		uint32_t *from = table_put(&r->by_task, g->from.pid, 0, &is_new);

		if (is_new) {
			*from = number;
			r->lanes[number].task = task_frame(r, &g->from);
		}
	}
	uint32_t to = lane_of(r, g);

	*table_put(&r->on_cpu, g->cpu, 0, &is_new) = to;
}

/* Gives the time of a call, or of the calls in it, to the call above it, and forgets it. */
static void pop_call(struct graph_lane *lane, uint64_t ns)
{
	lane->nr--;
	if (lane->nr)
		lane->calls[lane->nr - 1].inner += ns;
}

static void forget_calls(struct graph_reader *r, struct graph_lane *lane, uint32_t depth)
{
	while (lane->nr && lane->calls[lane->nr - 1].depth >= depth) {
		text_note(&r->text, UNFINISHED, r->text.line, "", 0);
		pop_call(lane, lane->calls[lane->nr - 1].inner);
	}
}

/* ---- calls ---- */

static bool parse_name(struct text_reader *r, const char *text, size_t len, uint32_t *entry)
{
	const char *open = memchr(text, ' ', len);
	size_t n = open ? (size_t)(open - text) : len;

	*entry = open ? profile_frame(r->p, FRAME_KERNEL, text, n, open + 2, len - n - 3)
		      : profile_frame(r->p, FRAME_KERNEL, text, n, NULL, 0);
	return true;
}

static void begin_call(struct graph_reader *r, struct graph_lane *lane, const struct graph_line *g)
{
	uint32_t entry = 0;

	forget_calls(r, lane, g->depth);
	text_entry(&r->text, g->name, g->name_len, parse_name, &entry);
	ALLOC_GROW(lane->calls, lane->nr, lane->alloc);
	lane->calls[lane->nr++] = (struct graph_call){entry, g->depth, 0};
}

/* Adds the stack of the lane's last call. The stack is cut if there were calls above the first. */
static void add_stack(struct graph_reader *r, const struct graph_lane *lane, uint64_t weight)
{
	for (size_t i = lane->nr; i--;)
		text_push(&r->text,
			lane->calls[i].entry | (!i && lane->calls[i].depth ? ENTRY_CUT : 0));
	stacks_add(&r->text.stacks, lane->task, weight);
}

/*
 * An interrupt may come while the tracer takes note of a call, whose time then does not include it.
 */
static void end_call(struct graph_reader *r, struct graph_lane *lane, const struct graph_line *g)
{
	uint64_t inner = lane->calls[lane->nr - 1].inner;
	uint64_t whole = g->ns > inner ? g->ns : inner;

	if (g->has_ns)
		add_stack(r, lane, r->counts ? 1 : whole - inner);
	else
		text_note(&r->text, UNTIMED, r->text.line, "", 0);
	pop_call(lane, whole);
}

static void end_call_at(struct graph_reader *r, struct graph_lane *lane, const struct graph_line *g)
{
	forget_calls(r, lane, g->depth + 1);
	if (lane->nr && lane->calls[lane->nr - 1].depth == g->depth)
		end_call(r, lane, g);
	else
		text_note(&r->text, UNBEGUN, r->text.line, "", 0);
}

/* Forgets the calls on a processor, some of whose events are missing. */
static void lose(struct graph_reader *r, uint32_t cpu)
{
	text_note(&r->text, LOST, r->text.line, "", 0);
	for (size_t i = 0; i < r->nr_lanes; i++)
		if (r->lanes[i].cpu == cpu)
			forget_calls(r, &r->lanes[i], 0);
}

static void take(struct graph_reader *r, const struct graph_line *g)
{
	switch (g->event) {
	case GRAPH_CALL:
		begin_call(r, find_lane(r, g), g);
		break;
	case GRAPH_LEAF:
		begin_call(r, find_lane(r, g), g);
		end_call(r, find_lane(r, g), g);
		break;
	case GRAPH_RETURN:
		end_call_at(r, find_lane(r, g), g);
		break;
	case GRAPH_SWITCH:
		switch_task(r, g);
		break;
	case GRAPH_LOST:
		lose(r, g->cpu);
		break;
	case GRAPH_NOTHING:
		break;
	}
}

/* ---- the text ---- */

static void read_line(struct graph_reader *r, const char *line, size_t len)
{
	struct graph_line g;

	while (len && is_blank(line[len - 1]))
		len--;
	if (!len || text_is_comment(line, len))
		return;
	if (graphline_parse(&g, line, len))
		take(r, &g);
	else
		text_note(&r->text, UNREAD, r->text.line, line, len);
}

static void release(struct graph_reader *r)
{
	for (size_t i = 0; i < r->nr_lanes; i++)
		free(r->lanes[i].calls);
	free(r->lanes);
	table_release(&r->by_task);
	table_release(&r->on_cpu);
	text_release(&r->text);
}

/* Chooses the event: the time of calls, or their number. */
static int choose_event(struct graph_reader *r, struct text_input *in)
{
	static const struct {
		const char *name, *unit;
	} events[] = {{"time", "ns"}, {"calls", "calls"}};
	const char *wanted = in->options->event;
	size_t i = 0;

	while (wanted && i < ARRAY_LEN(events) &&
		!pattern_or_name_matches(wanted, events[i].name, strlen(events[i].name)))
		i++;
	if (i == ARRAY_LEN(events))
		return fail(in->notes, "no event '%s': a trace has time and calls\n", wanted);
	r->counts = i;
	profile_set(&in->p->event, events[i].name);
	profile_set(&in->p->unit, events[i].unit);
	return 0;
}

static int graph_read(struct text_input *in)
{
	struct graph_reader r = {0};
	const char *line;
	size_t len;
	int ret;

	if (choose_event(&r, in))
		return -1;
	table_init(&r.by_task);
	table_init(&r.on_cpu);
	text_begin(&r.text, in, notes, ARRAY_LEN(notes));
	while (text_next(&r.text, &line, &len)) {
		if (r.text.cut)
			text_note(&r.text, NOTE_TOO_LONG, r.text.line, "", 0);
		else
			read_line(&r, line, len);
	}
	for (size_t i = 0; i < r.nr_lanes; i++)
		forget_calls(&r, &r.lanes[i], 0);
	ret = text_end(&r.text);
	release(&r);
	return ret;
}

static bool graph_is_line(const char *line, size_t len)
{
	struct graph_line g;

	return graphline_parse(&g, line, len) && g.event != GRAPH_NOTHING;
}

static bool graph_is_part(const char *line, size_t len)
{
	struct graph_line g;

	return graphline_parse(&g, line, len);
}

const struct text_format graph_format = {
	.name = "function_graph",
	.is_line = graph_is_line,
	.is_part = graph_is_part,
	.votes = TEXT_SURE,
	.has_meta = true,
	.has_tasks = true,
	.read = graph_read,
};
