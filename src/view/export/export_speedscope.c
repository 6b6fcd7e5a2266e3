/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes speedscope's file format, as defined in its file-format-schema.json: for a profile with
 * times an "evented" profile of each thread, otherwise one "sampled" profile.
 */
#include "export.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"
#include "model/leaves.h"
#include "thread_times.h"
#include "view/preorder.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX (UINT64_C(1) << 53) /* limit of a double */

static const char *unit_of(const struct profile *p)
{
	static const struct {
		const char *ours, *theirs;
	} units[] = {{"us", "microseconds"}, {"ns", "nanoseconds"}, {"bytes", "bytes"}};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (!strcmp(p->unit, units[i].ours))
			return units[i].theirs;
	return "none";
}

static void add_frame(const struct profile *p, uint32_t frame, struct strbuf *out)
{
	struct export_source source = export_source(p, frame);
	const char *module = export_module(p, frame);
	struct strbuf name = STRBUF_INIT;

	export_name(p, frame, &name);
	strbuf_adds(out, "{\"name\":");
	json_string(out, name.buf, name.len);
	if (source.len || *module) {
		strbuf_adds(out, ",\"file\":");
		json_string(out, source.len ? source.file : module,
			source.len ? source.len : strlen(module));
	}
	if (source.line)
		strbuf_addf(out, ",\"line\":%" PRIu32, source.line);
	strbuf_addch(out, '}');
	strbuf_release(&name);
}

/* Writes the list of frames. The index of a frame is its number - 1. */
static void write_frames(const struct profile *p, FILE *out)
{
	struct strbuf line = STRBUF_INIT;

	fputs("\"shared\":{\"frames\":[", out);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		strbuf_adds(&line, i > 1 ? ",\n" : "\n");
		add_frame(p, i, &line);
		strbuf_flush(&line, out);
	}
	fputs("\n]},\n", out);
	strbuf_release(&line);
}

/*
 * Writes the stacks, root first. The text of the common prefix with the previous stack is reused.
 * The format has no labels: states of waits are left out, so that functions have their self weight.
 */
static void write_samples(const struct profile *p, uint64_t scale, FILE *out)
{
	struct preorder w = preorder_begin(p);
	struct strbuf line = STRBUF_INIT;
	size_t *ends = NULL, alloc = 0; /* end of each level's text in the line */
	const char *before = "\n[";
	struct leaves leaves;

	leaves_init(&leaves, p);
	do {
		ALLOC_GROW(ends, w.depth, alloc);
		line.len = w.depth ? ends[w.depth - 1] : 0;
		if (w.depth && !leaves_is_state(&leaves, w.node)) {
			strbuf_adds(&line, line.len ? "," : "");
			strbuf_addu(&line, p->nodes[w.node].frame - 1);
		}
		ends[w.depth] = line.len;
		if (!preorder_self(&w, scale))
			continue;
		fputs(before, out);
		fwrite(line.buf, 1, line.len, out);
		fputc(']', out);
		before = ",\n[";
	} while (preorder_next(&w));
	leaves_release(&leaves);
	free(ends);
	strbuf_release(&line);
}

static void write_weights(const struct profile *p, uint64_t scale, FILE *out)
{
	struct preorder w = preorder_begin(p);
	const char *before = "\n";

	do {
		uint64_t self = preorder_self(&w, scale);

		if (!self)
			continue;
		fprintf(out, "%s%" PRIu64, before, self);
		before = ",\n";
	} while (preorder_next(&w));
}

/* Begins a profile, without its last value. */
static void write_head(const struct profile *p, const char *type, const struct strbuf *name,
	uint64_t start, FILE *out)
{
	struct strbuf head = STRBUF_INIT;

	strbuf_addf(&head, "{\"type\":\"%s\",\"name\":", type);
	if (name->len)
		json_string(&head, name->buf, name->len);
	else
		strbuf_adds(&head, "\"profile\"");
	strbuf_addf(&head, ",\"unit\":\"%s\",\"startValue\":%" PRIu64, unit_of(p), start);
	strbuf_flush(&head, out);
	strbuf_release(&head);
}

static void write_sampled(const struct profile *p, FILE *out)
{
	uint64_t scale = preorder_scale(p->nodes[0].total, VALUE_MAX);
	struct strbuf title = STRBUF_INIT;

	export_title(p, scale, &title);
	fputs("\"profiles\":[", out);
	write_head(p, "sampled", &title, 0, out);
	fprintf(out, ",\"endValue\":%" PRIu64 ",\n\"samples\":[", p->nodes[0].total / scale);
	write_samples(p, scale, out);
	fputs("\n],\n\"weights\":[", out);
	write_weights(p, scale, out);
	fputs("\n]}]}\n", out);
	strbuf_release(&title);
}

/* ---- threads in time ---- */

/*
 * The axis of values has the unit of the weights. If that is a time, or a tick of the clock, a
 * slice is at its time; the stacks of a thread in a slice follow each other, as no more is known.
 * Otherwise, the slices follow each other without a gap.
 */
struct evented {
	const struct profile *p;
	FILE *out;
	struct thread_times times;
	struct leaves leaves;
	uint32_t *depths; /* by node, of its stack: 0 without one */
	uint32_t *open;   /* nodes of the open functions, by their depth - 1 */
	uint32_t nr_open;
	double unit_ns;  /* the time of a weight of 1, or 0 if it has none */
	uint64_t scale;  /* weights of a value of 1 */
	uint64_t now;    /* weight up to here */
	bool has_events; /* of the thread */
};

/* Returns the weight up to the begin of SLICE. */
static uint64_t slice_begin(const struct evented *e, uint32_t slice)
{
	const struct profile_times *times = &e->p->times;
	uint64_t ns = times->begin_ns;

	if (e->unit_ns <= 0)
		return 0;
	add_product_capped(&ns, slice - 1, times->slice_ns);
	return (uint64_t)((double)(ns < INT64_MAX ? ns : INT64_MAX) / e->unit_ns);
}

static void write_event(struct evented *e, char type, uint32_t node)
{
	fprintf(e->out, "%s\n{\"type\":\"%c\",\"frame\":%" PRIu32 ",\"at\":%" PRIu64 "}",
		e->has_events ? "," : "", type, e->p->nodes[node].frame - 1, e->now / e->scale);
	e->has_events = true;
}

static void close_functions(struct evented *e, uint32_t depth)
{
	while (e->nr_open > depth)
		write_event(e, 'C', e->open[--e->nr_open]);
}

/* Closes the functions that are not in the stack of NODE, and opens the others of the stack. */
static void change_stack(struct evented *e, uint32_t node)
{
	uint32_t depth = e->depths[node], common;

	if (leaves_is_state(&e->leaves, node))
		node = e->p->nodes[node].parent;
	for (common = depth; common && (common > e->nr_open || e->open[common - 1] != node);
		common--) {
		close_functions(e, common - 1);
		e->open[common - 1] = node;
		node = e->p->nodes[node].parent;
	}
	close_functions(e, common);
	while (e->nr_open < depth)
		write_event(e, 'O', e->open[e->nr_open++]);
}

static void add_weight(struct evented *e, const struct timed_weight *w)
{
	uint64_t begin = slice_begin(e, w->slice);

	if (begin > e->now) {
		close_functions(e, 0);
		e->now = begin;
	}
	change_stack(e, w->node);
	add_capped(&e->now, w->weight);
}

static void add_task_name(const struct evented *e, uint32_t frame, struct strbuf *out)
{
	size_t len;
	const char *name = profile_name(e->p, frame, &len);

	strbuf_adds(out, out->len ? " " : "");
	strbuf_add(out, name, len);
}

/* Appends the name of a thread: "nginx/1302", or "nginx/1302 worker/1303". */
static void add_thread_name(const struct evented *e, uint32_t thread, struct strbuf *out)
{
	const struct timed_thread *t = &e->times.threads[thread];

	if (t->process && t->process != t->thread)
		add_task_name(e, t->process, out);
	if (t->thread)
		add_task_name(e, t->thread, out);
}

/* Writes the thread whose weights are in the list from FIRST to END. Returns its weight. */
static uint64_t write_thread(struct evented *e, size_t first, size_t end)
{
	const struct timed_weight *list = e->times.list;
	uint64_t last = slice_begin(e, e->p->times.nr + 1), weight = 0;
	struct strbuf name = STRBUF_INIT;

	e->now = slice_begin(e, 1);
	e->has_events = false;
	add_thread_name(e, list[first].thread, &name);
	write_head(e->p, "evented", &name, e->now / e->scale, e->out);
	fputs(",\n\"events\":[", e->out);
	for (size_t i = first; i < end; i++) {
		add_weight(e, &list[i]);
		add_capped(&weight, list[i].weight);
	}
	close_functions(e, 0);
	last = e->now > last ? e->now : last;
	fprintf(e->out, "\n],\"endValue\":%" PRIu64 "}", last / e->scale);
	strbuf_release(&name);
	return weight;
}

/* Writes a profile of each thread. The heaviest one is shown at first. */
static void write_threads(struct evented *e)
{
	size_t nr = 0, heaviest = 0;
	uint64_t most = 0;

	fputs("\"profiles\":[\n", e->out);
	for (size_t first = 0, end; first < e->times.nr; first = end) {
		end = thread_times_end(&e->times, first);
		fputs(first ? ",\n" : "", e->out);
		uint64_t weight = write_thread(e, first, end);

		if (weight > most) {
			most = weight;
			heaviest = nr;
		}
		nr++;
	}
	fprintf(e->out, "],\n\"activeProfileIndex\":%zu}\n", heaviest);
}

/* Sets the depths of the nodes' stacks. Returns the largest one. */
static uint32_t set_depths(struct evented *e)
{
	struct preorder w = preorder_begin(e->p);
	uint32_t max = 0;

	while (preorder_next(&w)) {
		if (e->times.are_tasks[w.node])
			continue;
		uint32_t depth = e->depths[e->p->nodes[w.node].parent] +
				 !leaves_is_state(&e->leaves, w.node);

		e->depths[w.node] = depth;
		max = depth > max ? depth : max;
	}
	return max;
}

static void write_evented(const struct profile *p, FILE *out)
{
	struct strbuf title = STRBUF_INIT, name = STRBUF_INIT;
	struct evented e = {
		.p = p,
		.out = out,
		.depths = xcalloc(p->nr_nodes, sizeof(*e.depths)),
		.unit_ns = amount_is_time(p->unit) ? amount_ns(p->unit) : (double)p->timing.period,
	};
	uint64_t most = slice_begin(&e, p->times.nr + 1);

	add_capped(&most, p->nodes[0].total);
	e.scale = preorder_scale(most, VALUE_MAX);
	thread_times_init(&e.times, p);
	leaves_init(&e.leaves, p);
	e.open = xcalloc(set_depths(&e) + 1, sizeof(*e.open));
	export_title(p, e.scale, &title);
	json_string(&name, title.buf, title.len);
	fprintf(out, "\"name\":%s,\n", name.buf);
	write_threads(&e);
	free(e.depths);
	free(e.open);
	leaves_release(&e.leaves);
	thread_times_release(&e.times);
	strbuf_release(&title);
	strbuf_release(&name);
}

int view_speedscope(const struct profile *p, FILE *out, struct strbuf *err)
{
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"flametap " VERSION "\",\n",
		out);
	write_frames(p, out);
	if (p->times.nr && p->nodes[0].total)
		write_evented(p, out);
	else
		write_sampled(p, out);
	return written(out, err);
}
