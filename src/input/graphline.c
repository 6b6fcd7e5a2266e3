/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "graphline.h"
#include "lib/util.h"

#include <string.h>

/* A part of a line. */
struct graph_text {
	const char *s, *end;
};

static struct graph_text trimmed(struct graph_text p)
{
	while (p.s < p.end && is_blank(*p.s))
		p.s++;
	while (p.s < p.end && is_blank(p.end[-1]))
		p.end--;
	return p;
}

static size_t length(struct graph_text p)
{
	return (size_t)(p.end - p.s);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.';
}

static const char *find(struct graph_text p, const char *text)
{
	return memmem(p.s, length(p), text, strlen(text));
}

/* ---- the function ---- */

/* Removes a comment from the end, such as the name of a function that returns, or its result. */
static struct graph_text without_comment(struct graph_text p)
{
	const char *comment = find(p, "/*");

	if (comment && length(p) > 2 && p.end[-1] == '/')
		p.end = comment;
	return trimmed(p);
}

/* Sets the name in "NAME() {", "NAME [MODULE](ARGUMENTS);" and so on. */
static bool take_call(struct graph_line *g, struct graph_text p)
{
	const char *s = p.s;

	while (s < p.end && is_name(*s))
		s++;
	if (s > p.s && p.end - s > 2 && s[0] == ' ' && s[1] == '[') {
		const char *close = memchr(s, ']', (size_t)(p.end - s));

		s = close ? close + 1 : s;
	}
	g->name = p.s;
	g->name_len = (size_t)(s - p.s);
	if (!g->name_len || is_digit(*p.s) || s == p.end || *s != '(')
		return false;
	g->event = p.end[-1] == '{' ? GRAPH_CALL : GRAPH_LEAF;
	return p.end[-1] == '{' || p.end[-1] == ';';
}

/* Takes the column of the function, which is indented by two blanks for each call above it. */
static bool take_function(struct graph_line *g, struct graph_text column)
{
	struct graph_text p = without_comment(column);
	size_t blanks = (size_t)(trimmed(column).s - column.s);

	if (blanks < 2 || !length(p))
		return false;
	g->depth = (uint32_t)(blanks / 2 - 1);
	if (length(p) == 1 && *p.s == '}')
		g->event = GRAPH_RETURN;
	else if (!take_call(g, p))
		return false;
	return true;
}

/* ---- what comes before it ---- */

/* Takes "COMM-PID". */
static bool take_task(struct task *task, struct graph_text p)
{
	const char *dash;

	p = trimmed(p);
	dash = length(p) ? memrchr(p.s, '-', length(p)) : NULL;
	if (!dash || dash == p.s ||
		!parse_u64(dash + 1, (size_t)(p.end - dash - 1), 10, &task->pid))
		return false;
	task->comm = p.s;
	task->len = (size_t)(dash - p.s);
	return true;
}

/* Takes "12.345 us", maybe behind a mark for long times. */
static void take_time(struct graph_line *g, struct graph_text p)
{
	uint64_t ns = 0, unit = 1000;
	const char *us = find(p, "us");
	bool is_fraction = false;

	p = trimmed(p);
	if (!us || !length(p))
		return;
	if (strchr("+!#*@$", *p.s))
		p.s++;
	for (p.s = trimmed(p).s; p.s < us && (is_digit(*p.s) || *p.s == '.'); p.s++) {
		is_fraction |= *p.s == '.';
		if (*p.s == '.' || !unit || ns > UINT64_MAX / 100)
			continue;
		ns = ns * 10 + (uint64_t)(*p.s - '0');
		unit /= is_fraction ? 10 : 1;
	}
	g->has_ns = trimmed((struct graph_text){p.s, us}).s == us;
	g->ns = ns * unit;
}

/* Takes "[CPU]" and the task before it, as trace-cmd prints them. */
static bool take_trace_cmd_head(struct graph_line *g, struct graph_text p)
{
	const char *open = find(p, " [");
	const char *close = open ? memchr(open, ']', (size_t)(p.end - open)) : NULL;
	uint64_t cpu;

	if (!close || !parse_u64(open + 2, (size_t)(close - open - 2), 10, &cpu) ||
		!take_task(&g->task, (struct graph_text){p.s, open}))
		return false;
	g->cpu = (uint32_t)cpu;
	return true;
}

/* Takes "CPU)" and moves *P behind it. */
static bool take_cpu(struct graph_line *g, struct graph_text *p)
{
	const char *close = memchr(p->s, ')', length(*p)), *s = close;
	uint64_t cpu;

	while (s && s > p->s && is_digit(s[-1]))
		s--;
	if (!close || !parse_u64(s, (size_t)(close - s), 10, &cpu))
		return false;
	g->cpu = (uint32_t)cpu;
	p->s = close + 1;
	return true;
}

/* Takes the columns between the processor and the function: maybe the task, and the time. */
static void take_columns(struct graph_line *g, struct graph_text p)
{
	for (const char *bar; p.s < p.end; p.s = bar + (bar < p.end)) {
		bar = memchr(p.s, '|', length(p));
		bar = bar ? bar : p.end;
		if (!take_task(&g->task, (struct graph_text){p.s, bar}))
			take_time(g, (struct graph_text){p.s, bar});
	}
}

static bool take_head(struct graph_line *g, struct graph_text p)
{
	static const char *const events[] = {"funcgraph_entry:", "funcgraph_exit:"};

	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		const char *event = find(p, events[i]);

		if (!event)
			continue;
		take_time(g, (struct graph_text){event + strlen(events[i]), p.end});
		return take_trace_cmd_head(g, (struct graph_text){p.s, event});
	}
	if (!take_cpu(g, &p))
		return false;
	take_columns(g, p);
	return true;
}

/* ---- other lines ---- */

/* Takes "CPU)  COMM-PID  =>  COMM-PID". */
static bool take_switch(struct graph_line *g, struct graph_text p)
{
	const char *arrow = find(p, "=>");
	struct graph_text from = {p.s, arrow};

	g->event = GRAPH_SWITCH;
	return arrow && take_cpu(g, &from) && take_task(&g->from, from) &&
	       take_task(&g->task, (struct graph_text){arrow + 2, p.end});
}

/* Takes "CPU:N [LOST N EVENTS]", or DROPPED as trace-cmd has it. */
static bool take_lost(struct graph_line *g, struct graph_text p)
{
	const char *blank;
	uint64_t cpu;

	p = trimmed(p);
	blank = begins_with(p.s, length(p), "CPU:") ? memchr(p.s, ' ', length(p)) : NULL;
	if (!blank || !find(p, "EVENTS") ||
		!parse_u64(p.s + 4, (size_t)(blank - p.s - 4), 10, &cpu))
		return false;
	g->event = GRAPH_LOST;
	g->cpu = (uint32_t)cpu;
	return true;
}

/* Whether the line is a rule, an arrow at an interrupt, the event of another kind or a comment. */
static bool is_nothing(struct graph_text p)
{
	struct graph_text t = trimmed(p);

	return begins_with(t.s, length(t), "-----") || find(p, "==========> |") ||
	       find(p, "<========== |") || (find(p, "|") && find(p, "/*")) ||
	       begins_with(t.s, length(t), "cpus=");
}

bool graphline_parse(struct graph_line *g, const char *line, size_t len)
{
	struct graph_text all = {line, line + len};

	for (const char *bar = line; (bar = memchr(bar, '|', (size_t)(all.end - bar))); bar++) {
		*g = (struct graph_line){0};
		if (take_function(g, (struct graph_text){bar + 1, all.end}))
			return take_head(g, (struct graph_text){line, bar});
	}
	*g = (struct graph_line){0};
	if (take_switch(g, all) || take_lost(g, all))
		return true;
	g->event = GRAPH_NOTHING;
	return is_nothing(all);
}
