/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the processed profile format of the Firefox profiler, version 70, as its
 * src/types/profile.ts and docs-developer/CHANGELOG-formats.md define it. Tables are written column
 * by column.
 */
#include "export.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/amount.h"
#include "model/leaves.h"
#include "thread_times.h"
#include "view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 70, GECKO_VERSION = 36 };

struct firefox {
	const struct profile *p;
	FILE *out;
	struct leaves leaves;
	struct strpool strings, resources, files, funcs;
	uint32_t *func_of; /* by frame */
	struct func {
		uint32_t name, resource, file; /* in the pools */
	} * func_list;                         /* by number in funcs */
	size_t funcs_alloc;
	uint32_t *stack_of; /* by node: from 1, or 0 if it has none */
	struct thread_times times;
	uint32_t nr_slices;
	double slice_ms, begin_ms;
	bool is_time;   /* the unit of weights */
	double unit_ms; /* of a weight in time, or of a tick */
};

/* ---- functions ---- */

static void add_func(struct firefox *f, uint32_t frame)
{
	const char *module = export_module(f->p, frame);
	struct export_source source = export_source(f->p, frame);
	struct strbuf key = STRBUF_INIT;

	export_name(f->p, frame, &key);
	struct func func = {
		.name = strpool_add(&f->strings, key.buf, key.len),
		.resource = *module ? strpool_adds(&f->resources, module) : 0,
		.file = source.len ? strpool_add(&f->files, source.file, source.len) : 0,
	};

	strbuf_reset(&key);
	strbuf_add(&key, &func, sizeof(func));
	uint32_t number = strpool_add(&f->funcs, key.buf, key.len);

	f->func_of[frame] = number - 1;
	while (f->funcs_alloc <= number) {
		f->funcs_alloc = f->funcs_alloc ? 2 * f->funcs_alloc : 64;
		f->func_list = xrealloc(f->func_list, f->funcs_alloc, sizeof(*f->func_list));
	}
	f->func_list[number] = func;
	strbuf_release(&key);
}

/* ---- stacks ---- */

/* Numbers the stacks below the threads. Callees have higher numbers than their callers. */
static void number_stacks(struct firefox *f)
{
	const struct profile_node *nodes = f->p->nodes;
	uint32_t nr_stacks = 0;

	for (uint32_t i = 1; i < f->p->nr_nodes; i++)
		if (!f->times.are_tasks[i])
			f->stack_of[i] = leaves_is_state(&f->leaves, i)
						 ? f->stack_of[nodes[i].parent]
						 : ++nr_stacks;
}

/* Returns the frame of the state of a wait, or 0. */
static uint32_t state_of(const struct firefox *f, const struct timed_weight *sample)
{
	return leaves_is_state(&f->leaves, sample->node) ? f->p->nodes[sample->node].frame : 0;
}

/* Without slices, all of the recording is one. */
static void set_times(struct firefox *f)
{
	const struct profile *p = f->p;
	const struct profile_times *times = &p->times;

	f->is_time = amount_is_time(p->unit);
	f->unit_ms = f->is_time ? amount_ns(p->unit) / 1e6 : (double)p->timing.period / 1e6;
	f->nr_slices = times->nr ? times->nr : 1;
	f->begin_ms = times->nr ? (double)times->begin_ns / 1e6 : 0;
	f->slice_ms = times->nr ? (double)times->slice_ns / 1e6 : (double)p->timing.duration / 1e6;
	if (f->slice_ms <= 0)
		f->slice_ms = 1000;
}

/* ---- tables ---- */

/* Writes a column: NR values of WRITE. */
static void column(struct firefox *f, const char *name, size_t nr,
	void (*write)(const struct firefox *f, size_t i, const void *arg), const void *arg)
{
	fprintf(f->out, "\"%s\":[", name);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			fputc(',', f->out);
		write(f, i, arg);
	}
	fputs("],\n", f->out);
}

static void same(const struct firefox *f, size_t i, const void *text)
{
	(void)i;
	fputs(text, f->out);
}

static void write_string(const struct firefox *f, const char *s, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	json_string(&text, s, len);
	strbuf_flush(&text, f->out);
	strbuf_release(&text);
}

static void listed_string(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	write_string(
		f, strpool_get(&f->strings, (uint32_t)i), strpool_len(&f->strings, (uint32_t)i));
}

static void number_or_none(const struct firefox *f, uint32_t number, const char *none)
{
	if (number)
		fprintf(f->out, "%" PRIu32, number - 1);
	else
		fputs(none, f->out);
}

static void func_name(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	fprintf(f->out, "%" PRIu32, f->func_list[i + 1].name);
}

static void func_resource(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	number_or_none(f, f->func_list[i + 1].resource, "-1");
}

static void func_file(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	number_or_none(f, f->func_list[i + 1].file, "null");
}

static void frame_func(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	fprintf(f->out, "%" PRIu32, f->func_of[i + 1]);
}

static void frame_category(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	fprintf(f->out, "%d", f->p->frames[i + 1].kind + 1);
}

static void frame_line(const struct firefox *f, size_t i, const void *arg)
{
	(void)arg;
	uint32_t line = export_source(f->p, (uint32_t)i + 1).line;

	if (line)
		fprintf(f->out, "%" PRIu32, line);
	else
		fputs("null", f->out);
}

/* Writes the stacks by VALUE of their nodes. */
static void stacks(struct firefox *f, const char *name,
	uint32_t (*value)(const struct firefox *f, uint32_t node))
{
	const char *comma = "";

	fprintf(f->out, "\"%s\":[", name);
	for (uint32_t i = 1; i < f->p->nr_nodes; i++) {
		if (!f->stack_of[i] || leaves_is_state(&f->leaves, i))
			continue;
		fprintf(f->out, "%s%" PRIu32, comma, value(f, i));
		comma = ",";
	}
	fputs("],\n", f->out);
}

static uint32_t stack_frame(const struct firefox *f, uint32_t node)
{
	return f->p->nodes[node].frame - 1;
}

static uint32_t stack_offset(const struct firefox *f, uint32_t node)
{
	uint32_t caller = f->stack_of[f->p->nodes[node].parent];

	return caller ? f->stack_of[node] - caller : 0;
}

static void end_table(const struct firefox *f, size_t nr, const char *after)
{
	fprintf(f->out, "\"length\":%zu}%s", nr, after);
}

static void write_stacks(struct firefox *f)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->p->nr_nodes; i++)
		nr = f->stack_of[i] > nr ? f->stack_of[i] : nr;
	fputs("\"stackTable\":{", f->out);
	stacks(f, "frame", stack_frame);
	stacks(f, "prefixOffset", stack_offset);
	end_table(f, nr, ",\n");
}

static void write_frames(struct firefox *f)
{
	static const char *const none[] = {
		"nativeSymbol", "innerWindowID", "column", "originalLocation"};
	size_t nr = f->p->nr_frames - 1;

	fputs("\"frameTable\":{", f->out);
	column(f, "address", nr, same, "-1");
	column(f, "lib", nr, same, "-1");
	column(f, "inlineDepth", nr, same, "0");
	column(f, "category", nr, frame_category, NULL);
	column(f, "subcategory", nr, same, "0");
	column(f, "func", nr, frame_func, NULL);
	column(f, "line", nr, frame_line, NULL);
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		column(f, none[i], nr, same, "null");
	end_table(f, nr, ",\n");
}

static void write_funcs(struct firefox *f)
{
	static const char *const none[] = {"lineNumber", "columnNumber", "originalLocation"};
	size_t nr = f->funcs.nr - 1;

	fputs("\"funcTable\":{", f->out);
	column(f, "name", nr, func_name, NULL);
	column(f, "isJS", nr, same, "false");
	column(f, "relevantForJS", nr, same, "false");
	column(f, "resource", nr, func_resource, NULL);
	column(f, "source", nr, func_file, NULL);
	for (size_t i = 0; i < ARRAY_LEN(none); i++)
		column(f, none[i], nr, same, "null");
	end_table(f, nr, ",\n");
}

/* Writes the number that string I of a pool has in the list of strings. */
static void string_of(const struct firefox *f, size_t i, const void *arg)
{
	const struct strpool *pool = arg;
	uint32_t number = (uint32_t)i + 1;

	fprintf(f->out, "%" PRIu32, strpool_import((struct strpool *)&f->strings, pool, number));
}

static void write_resources(struct firefox *f)
{
	size_t nr = f->resources.nr - 1, nr_files = f->files.nr - 1;

	fputs("\"resourceTable\":{", f->out);
	column(f, "name", nr, string_of, &f->resources);
	column(f, "host", nr, same, "null");
	column(f, "type", nr, same, "1"); /* a library */
	end_table(f, nr, ",\n\"sources\":{");
	column(f, "filename", nr_files, string_of, &f->files);
	column(f, "id", nr_files, same, "null");
	column(f, "startLine", nr_files, same, "1");
	column(f, "startColumn", nr_files, same, "1");
	column(f, "sourceMapURL", nr_files, same, "null");
	column(f, "content", nr_files, same, "null");
	end_table(f, nr_files, ",\n");
}

/* Strings are numbered in the tables before, so their list follows. */
static void write_shared(struct firefox *f)
{
	fputs("\"shared\":{", f->out);
	write_stacks(f);
	write_frames(f);
	write_funcs(f);
	write_resources(f);
	column(f, "stringArray", f->strings.nr, listed_string, NULL);
	fputs("\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],\"functionSize\":[],"
	      "\"length\":0},\n"
	      "\"sourceLocationTable\":{\"source\":[],\"line\":[],\"column\":[],\"length\":0}}",
		f->out);
}

/* ---- samples ---- */

/* The samples of a thread, and where they are in its time. */
struct thread_samples {
	const struct timed_weight *list;
	size_t nr;
	double *time_ms, *cpu_us; /* of each sample */
};

static double slice_begin(const struct firefox *f, uint32_t slice)
{
	return f->begin_ms + (slice - 1) * f->slice_ms;
}

/*
 * Shares the time of the slice of the samples from FIRST to END out among them by their weights. A
 * sample is at the end of its time. A tick counts as the time on a processor since the tick before.
 */
static void place(const struct firefox *f, struct thread_samples *run, size_t first, size_t end)
{
	double all = 0, before = 0;

	for (size_t i = first; i < end; i++)
		all += (double)run->list[i].weight;
	for (size_t i = first; i < end; i++) {
		before += (double)run->list[i].weight;
		run->time_ms[i] = slice_begin(f, run->list[i].slice) +
				  (all > 0 ? before / all : 1) * f->slice_ms;
		run->cpu_us[i] = f->stack_of[run->list[i].node]
					 ? (double)run->list[i].weight * f->unit_ms * 1000
					 : 0;
	}
}

static void place_all(const struct firefox *f, struct thread_samples *run)
{
	for (size_t first = 0, end; first < run->nr; first = end) {
		for (end = first; end < run->nr && run->list[end].slice == run->list[first].slice;)
			end++;
		place(f, run, first, end);
	}
}

static void sample_stack(const struct firefox *f, size_t i, const void *arg)
{
	const struct timed_weight *sample = &((const struct thread_samples *)arg)->list[i];

	number_or_none(f, f->stack_of[sample->node], "null");
}

static void sample_time(const struct firefox *f, size_t i, const void *arg)
{
	fprintf(f->out, "%.6f", ((const struct thread_samples *)arg)->time_ms[i]);
}

static void sample_cpu(const struct firefox *f, size_t i, const void *arg)
{
	fprintf(f->out, "%.0f", ((const struct thread_samples *)arg)->cpu_us[i]);
}

/* Times are in ms, and exact. */
static void sample_weight(const struct firefox *f, size_t i, const void *arg)
{
	uint64_t weight = ((const struct thread_samples *)arg)->list[i].weight;

	if (f->is_time)
		fprintf(f->out, "%.6f", (double)weight * f->unit_ms);
	else
		fprintf(f->out, "%" PRIu64, weight);
}

static void write_samples(struct firefox *f, const struct thread_samples *run)
{
	const char *type = f->is_time                     ? "tracing-ms"
			   : !strcmp(f->p->unit, "bytes") ? "bytes"
							  : "samples";

	fputs("\"samples\":{", f->out);
	column(f, "stack", run->nr, sample_stack, run);
	column(f, "time", run->nr, sample_time, run);
	column(f, "weight", run->nr, sample_weight, run);
	if (f->p->timing.period)
		column(f, "threadCPUDelta", run->nr, sample_cpu, run);
	fprintf(f->out, "\"weightType\":\"%s\",", type);
	end_table(f, run->nr, ",\n");
}

/* ---- waits ---- */

/* The time that a thread has waited in a state in a slice. */
struct wait {
	uint32_t slice, state;
	uint64_t weight;
};

struct waits {
	struct wait *list;
	size_t nr, alloc;
};

static int compare_waits(const void *va, const void *vb)
{
	const struct wait *a = va, *b = vb;

	if (a->slice != b->slice)
		return a->slice < b->slice ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

/* Adds up the waits of the samples by slice and state. */
static struct waits add_up_waits(const struct firefox *f, const struct thread_samples *run)
{
	struct waits w = {0};
	size_t kept = 0;

	for (size_t i = 0; i < run->nr; i++) {
		uint32_t state = state_of(f, &run->list[i]);

		if (!state)
			continue;
		ALLOC_GROW(w.list, w.nr, w.alloc);
		w.list[w.nr++] = (struct wait){run->list[i].slice, state, run->list[i].weight};
	}
	if (w.nr)
		qsort(w.list, w.nr, sizeof(*w.list), compare_waits);
	for (size_t i = 0; i < w.nr; i++)
		if (kept && !compare_waits(&w.list[kept - 1], &w.list[i]))
			add_capped(&w.list[kept - 1].weight, w.list[i].weight);
		else
			w.list[kept++] = w.list[i];
	w.nr = kept;
	return w;
}

static void wait_data(const struct firefox *f, size_t i, const void *arg)
{
	const struct wait *w = &((const struct waits *)arg)->list[i];

	fprintf(f->out, "{\"type\":\"Wait\",\"time\":%.6f}", (double)w->weight * f->unit_ms);
}

static void wait_name(const struct firefox *f, size_t i, const void *arg)
{
	const struct wait *w = &((const struct waits *)arg)->list[i];
	size_t len;
	const char *name = profile_name(f->p, w->state, &len);
	bool is_note = len > 2 && *name == '[';

	fprintf(f->out, "%" PRIu32,
		strpool_add((struct strpool *)&f->strings, name + is_note, len - 2 * is_note));
}

static void wait_begin(const struct firefox *f, size_t i, const void *arg)
{
	fprintf(f->out, "%.6f", slice_begin(f, ((const struct waits *)arg)->list[i].slice));
}

static void wait_end(const struct firefox *f, size_t i, const void *arg)
{
	fprintf(f->out, "%.6f", slice_begin(f, ((const struct waits *)arg)->list[i].slice + 1));
}

static void write_markers(struct firefox *f, const struct thread_samples *run)
{
	struct waits w = add_up_waits(f, run);

	fputs("\"markers\":{", f->out);
	column(f, "data", w.nr, wait_data, &w);
	column(f, "name", w.nr, wait_name, &w);
	column(f, "startTime", w.nr, wait_begin, &w);
	column(f, "endTime", w.nr, wait_end, &w);
	column(f, "phase", w.nr, same, "1"); /* an interval */
	column(f, "category", w.nr, same, "0");
	end_table(f, w.nr, "");
	free(w.list);
}

/* ---- threads ---- */

/* Returns the length of the name of a task frame, such as "nginx/1302", and its number, or 0. */
static size_t task_name(const struct firefox *f, uint32_t frame, const char **name, uint64_t *id)
{
	size_t len;

	*name = profile_name(f->p, frame, &len);
	const char *slash = memrchr(*name, '/', len);

	*id = 0;
	return slash && parse_u64(slash + 1, len - (size_t)(slash + 1 - *name), 10, id)
		       ? (size_t)(slash - *name)
		       : len;
}

static void write_names(struct firefox *f, uint32_t number)
{
	const struct timed_thread *t = &f->times.threads[number];
	const char *name = f->p->title ? f->p->title : "profile", *process = name;
	size_t len = strlen(name), process_len = len;
	uint64_t tid = 0, pid = 0;

	if (t->thread)
		len = process_len = task_name(f, t->thread, &name, &tid);
	process = name;
	if (t->process)
		process_len = task_name(f, t->process, &process, &pid);
	else
		pid = tid;
	tid = tid ? tid : number + 1;
	pid = pid ? pid : number + 1;
	fputs("\"name\":", f->out);
	write_string(f, name, len);
	fputs(",\"processName\":", f->out);
	write_string(f, process, process_len);
	fprintf(f->out, ",\"isMainThread\":%s,\"pid\":\"%" PRIu64 "\",\"tid\":%" PRIu64 ",\n",
		pid == tid ? "true" : "false", pid, tid);
}

static void write_thread(struct firefox *f, const struct timed_weight *list, size_t nr)
{
	struct thread_samples run = {
		list, nr, xcalloc(nr + 1, sizeof(double)), xcalloc(nr + 1, sizeof(double))};

	place_all(f, &run);
	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\n",
		f->out);
	write_names(f, list->thread);
	write_samples(f, &run);
	write_markers(f, &run);
	fputc('}', f->out);
	free(run.time_ms);
	free(run.cpu_us);
}

static void write_threads(struct firefox *f)
{
	const struct thread_times *t = &f->times;

	fputs("\"threads\":[", f->out);
	for (size_t first = 0, end; first < t->nr; first = end) {
		end = thread_times_end(t, first);
		fputs(first ? ",\n" : "\n", f->out);
		write_thread(f, t->list + first, end - first);
	}
	fputs("],\n", f->out);
}

/* ---- the file ---- */

static void add_gap(struct firefox *f, uint32_t thread, uint32_t slice)
{
	thread_times_add(&f->times, &(struct timed_weight){.thread = thread, .slice = slice});
}

/*
 * Adds samples without a stack in the first and the last slice of the time in which a thread has
 * none, so that its activity falls to nothing.
 */
static void add_gaps(struct firefox *f)
{
	size_t nr = f->times.nr;

	for (size_t i = 0; i < nr; i++) {
		const struct timed_weight s = f->times.list[i];
		bool is_last = i + 1 == nr || f->times.list[i + 1].thread != s.thread;
		uint32_t next = is_last ? f->nr_slices + 1 : f->times.list[i + 1].slice;

		if (s.slice + 1 < next)
			add_gap(f, s.thread, s.slice + 1);
		if (s.slice + 2 < next)
			add_gap(f, s.thread, next - 1);
	}
	thread_times_sort(&f->times);
}

static void write_categories(struct firefox *f)
{
	static const char *const colours[FRAME_KINDS] = {
		[FRAME_USER] = "yellow",
		[FRAME_KERNEL] = "orange",
		[FRAME_INLINE] = "brown",
		[FRAME_JIT] = "green",
		[FRAME_WAKER] = "purple",
		[FRAME_TASK] = "darkgrey",
		[FRAME_NOTE] = "darkgrey",
	};

	fputs("\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]"
	      "}",
		f->out);
	for (enum frame_kind kind = 0; kind < FRAME_KINDS; kind++)
		fprintf(f->out,
			",\n{\"name\":\"%s\",\"color\":\"%s\",\"subcategories\":[\"Other\"]}",
			frame_kind_word(kind), colours[kind] ? colours[kind] : "lightblue");
	fputs("],\n", f->out);
}

static void write_meta(struct firefox *f)
{
	const struct profile *p = f->p;
	struct strbuf title = STRBUF_INIT;

	export_title(p, 1, &title);
	fputs("{\"meta\":{", f->out);
	write_categories(f);
	fprintf(f->out, "\"interval\":%.6f,\"startTime\":%" PRIu64 ",\"profilingStartTime\":%.6f,",
		p->timing.period ? (double)p->timing.period / 1e6 : f->slice_ms,
		p->timing.started / 1000000, f->begin_ms);
	fprintf(f->out, "\"profilingEndTime\":%.6f,\"logicalCPUs\":%" PRIu32 ",",
		slice_begin(f, f->nr_slices + 1), p->timing.cpus);
	fprintf(f->out,
		"\"processType\":0,\"stackwalk\":1,\"version\":%d,"
		"\"preprocessedProfileVersion\":%d,\"symbolicated\":true,\"oscpu\":\"Linux\","
		"\"importedFrom\":\"flametap " VERSION "\",\"usesOnlyOneStackType\":true,"
		"\"sourceCodeIsNotOnSearchfox\":true,\n",
		GECKO_VERSION, FORMAT_VERSION);
	fputs("\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":"
	      "\"\xc2\xb5s\"},\n"
	      "\"markerSchema\":[{\"name\":\"Wait\",\"display\":[\"marker-chart\","
	      "\"marker-table\",\"timeline-overview\"],\"fields\":[{\"key\":\"time\",\"label\":"
	      "\"Time in this slice\",\"format\":\"duration\"}]}],\n\"product\":",
		f->out);
	if (!title.len)
		strbuf_adds(&title, "flametap");
	write_string(f, title.buf, title.len);
	fputs("},\n\"libs\":[],\n", f->out);
	strbuf_release(&title);
}

static void begin(struct firefox *f, const struct profile *p, FILE *out)
{
	*f = (struct firefox){
		.p = p,
		.out = out,
		.func_of = xcalloc(p->nr_frames, sizeof(*f->func_of)),
		.stack_of = xcalloc(p->nr_nodes, sizeof(*f->stack_of)),
	};
	strpool_init(&f->strings);
	strpool_init(&f->resources);
	strpool_init(&f->files);
	strpool_init(&f->funcs);
	leaves_init(&f->leaves, p);
	for (uint32_t i = 1; i < p->nr_frames; i++)
		add_func(f, i);
	set_times(f);
	thread_times_init(&f->times, p);
	number_stacks(f);
	add_gaps(f);
}

static void end(struct firefox *f)
{
	strpool_release(&f->strings);
	strpool_release(&f->resources);
	strpool_release(&f->files);
	strpool_release(&f->funcs);
	leaves_release(&f->leaves);
	thread_times_release(&f->times);
	free(f->func_of);
	free(f->func_list);
	free(f->stack_of);
}

int view_firefox(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct firefox f;

	begin(&f, p, out);
	write_meta(&f);
	write_threads(&f);
	write_shared(&f);
	fputs("}\n", out);
	end(&f);
	return written(out, err);
}
