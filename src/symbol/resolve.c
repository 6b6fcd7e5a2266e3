/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "lib/word.h"
#include "lib/worker.h"
#include "library_jit.h"
#include "lookup.h"
#include "lookup_result.h"
#include "open_files.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/names/jitdump.h"
#include "symbol/names/perfmap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FILE_S = 60, /* seconds that one file may take */
	ALL_S = 300, /* seconds that all files may take, without downloads */
	NOTES_MAX = 20,
};

struct resolver {
	struct recording *rec;
	const struct symbol_options *options;
	struct strbuf *notes;
	struct lookup_list lookups;
	struct opener opener;
	struct symbol_report *report; /* or NULL */
	uint64_t *weights;            /* of each frame */
	uint64_t weight;              /* of all frames */
	int64_t until_ns;             /* time after which no file is read any more */
};

/*
 * Names the frame of LOOKUP. STRINGS are the numbers of RESULT's strings in the recording, or 0 for
 * strings that were not added.
 */
static void name_frame(struct resolver *r, const struct lookup *lookup,
	const struct lookup_result *result, const struct lookup_frame *from, uint32_t *strings)
{
	const struct rec_frame *frame = &r->rec->frames[lookup->frame];
	struct rec_name *names = xcalloc(from->nr, sizeof(*names));

	for (uint32_t i = 0; i < from->nr; i++) {
		const struct lookup_name *name = &result->names[from->first + i];
		const uint32_t both[] = {name->function, name->file};

		for (size_t k = 0; k < ARRAY_LEN(both); k++)
			if (both[k] && !strings[both[k]])
				strings[both[k]] = strpool_add(&r->rec->strings,
					strpool_get(&result->strings, both[k]),
					strpool_len(&result->strings, both[k]));
		names[i] = (struct rec_name){
			.function = strings[name->function],
			.file = name->file ? strings[name->file] : 0,
			.line = name->line,
			.offset = name->offset,
		};
	}
	names[from->nr - 1].offset += frame->call;
	if (frame->nr_names) { /* the function keeps its name */
		struct rec_name *last = &names[from->nr - 1];
		const struct rec_name *known = &r->rec->names[frame->names + frame->nr_names - 1];

		last->function = known->function;
		last->offset = known->offset;
		for (uint32_t i = 0; i < from->nr; i++)
			names[i].module = known->module;
	}
	if (!frame->nr_names || names[from->nr - 1].file)
		recording_name_frame(r->rec, lookup->frame, names, from->nr);
	free(names);
}

/* Sets the starts of functions for frames that have no name. */
static void set_starts(
	struct resolver *r, const struct lookup_file *file, const struct lookup_result *result)
{
	uint32_t *start_of = xcalloc(file->job.nr_locations, sizeof(*start_of));

	for (uint32_t i = 0; i < result->header.nr_starts; i++)
		if (result->starts[i].location < file->job.nr_locations)
			start_of[result->starts[i].location] = i + 1;
	for (size_t i = 0; i < file->nr; i++) {
		uint32_t start = start_of[file->lookups[i].location];
		struct rec_frame *frame = &r->rec->frames[file->lookups[i].frame];

		if (!start || frame->nr_names)
			continue;
		frame->start = result->starts[start - 1].address;
		frame->cold = result->starts[start - 1].is_cold;
	}
	free(start_of);
}

static void name_frames(
	struct resolver *r, const struct lookup_file *file, const struct lookup_result *result)
{
	uint32_t *strings = xcalloc(result->strings.nr, sizeof(*strings));
	uint32_t *frame_of = xcalloc(file->job.nr_locations, sizeof(*frame_of));

	for (uint32_t i = 0; i < result->header.nr_frames; i++)
		if (result->frames[i].location < file->job.nr_locations)
			frame_of[result->frames[i].location] = i + 1;
	for (size_t i = 0; i < file->nr; i++)
		if (frame_of[file->lookups[i].location])
			name_frame(r, &file->lookups[i], result,
				&result->frames[frame_of[file->lookups[i].location] - 1], strings);
	free(strings);
	free(frame_of);
}

static void take_result(struct resolver *r, struct lookup_file *file, const struct worker *w)
{
	struct symbol_module *module = &file->module;
	struct lookup_result result;

	lookup_result_init(&result);
	if (w->end == WORKER_LATE && w->stalled) {
		module->gap = GAP_UNREADABLE;
		strcpy(module->detail, lookup_job_silent);
		opener_add_silent(&r->opener, file->path);
	} else if (w->end != WORKER_DONE || lookup_result_read(&result, &w->output)) {
		module->gap = GAP_FAILED;
		strcpy(module->detail, worker_failure(w->end));
	} else {
		module->source = (enum symbol_source)result.header.source;
		module->gap = (enum symbol_gap)result.header.gap;
		module->has_debuginfo = result.header.has_debuginfo;
		module->lack = (enum debug_lack)result.header.lack;
		file->rejected = result.header.rejected;
		file->replaced = result.header.replaced;
		memcpy(file->other_id, result.header.other_id, sizeof(file->other_id));
		memcpy(file->alt_id, result.header.alt_id, sizeof(file->alt_id));
		memcpy(module->detail, result.header.detail, sizeof(module->detail));
		set_starts(r, file, &result);
		name_frames(r, file, &result);
	}
	lookup_result_release(&result);
}

/* A file that is read. */
struct reading {
	struct resolver *resolver;
	struct lookup_file *file;
	bool ended;
};

static bool prepare(void *arg)
{
	struct reading *reading = arg;

	return lookup_job_prepare(&reading->file->job, &reading->resolver->opener);
}

static void open_files(void *arg)
{
	struct reading *reading = arg;

	lookup_job_open(&reading->file->job);
}

static void work(void *arg, struct strbuf *output)
{
	struct reading *reading = arg;

	lookup_job_work(&reading->file->job, output);
}

static void finish(struct worker *w)
{
	struct reading *reading = w->arg;

	reading->ended = true;
	lookup_job_finish(&reading->file->job, w->end == WORKER_DONE);
	take_result(reading->resolver, reading->file, w);
	strbuf_release(&w->output); /* all outputs would be too much memory to fork with */
}

/* Runs all pending jobs and takes their results. */
static void run_pending(struct resolver *r)
{
	struct worker *workers = xcalloc(r->lookups.nr, sizeof(*workers));
	struct reading *readings = xcalloc(r->lookups.nr, sizeof(*readings));
	size_t nr = 0;

	for (size_t i = 0; i < r->lookups.nr; i++) {
		struct lookup_file *file = &r->lookups.files[i];

		if (!file->pending)
			continue;
		file->pending = false;
		readings[nr] = (struct reading){.resolver = r, .file = file};
		workers[nr] = (struct worker){
			.prepare = prepare,
			.open = open_files,
			.work = work,
			.finish = finish,
			.arg = &readings[nr],
			.output = STRBUF_INIT,
		};
		nr++;
	}
	workers_run_until(workers, nr, FILE_S, r->until_ns);
	for (size_t i = 0; i < nr; i++)
		if (!readings[i].ended)
			take_result(r, readings[i].file, &workers[i]);
	free(workers);
	free(readings);
}

/* A function, with its line if FILE is not NULL. */
struct compiled {
	const char *function, *file;
	uint32_t line;
	uint64_t offset;
};

static void name_memory_frame(struct resolver *r, struct lookup_file *file,
	const struct lookup *lookup, const struct compiled *c)
{
	struct rec_frame *frame = &r->rec->frames[lookup->frame];
	struct rec_name name = {
		.function = recording_string(r->rec, c->function),
		.module = recording_string(r->rec, "[jit]"),
		.file = c->file ? recording_string(r->rec, c->file) : 0,
		.line = c->file ? c->line : 0,
		.offset = c->offset + frame->call,
	};

	frame->kind = FRAME_JIT;
	file->module.source = SOURCE_PERFMAP;
	recording_name_frame(r->rec, lookup->frame, &name, 1);
}

/* A recording does not tell when code was where: the last function counts, as in a perf map. */
static void name_by_dump(struct resolver *r, struct lookup_file *file, const struct jitdump *dump)
{
	for (size_t i = 0; i < file->nr; i++) {
		uint64_t at = file->lookups[i].offset;
		uint32_t function = jitdump_find(dump, at, JITDUMP_LATEST);
		struct compiled c;

		if (function == JITDUMP_NONE)
			continue;
		c.function = jitdump_name(dump, function);
		c.offset = at - jitdump_start(dump, function);
		c.line = jitdump_line(dump, function, at, &c.file);
		name_memory_frame(r, file, &file->lookups[i], &c);
	}
}

static void name_by_perfmap(struct resolver *r, struct lookup_file *file, int fd)
{
	uint64_t *addresses = xcalloc(file->nr, sizeof(*addresses));

	for (size_t i = 0; i < file->nr; i++)
		addresses[i] = file->lookups[i].offset; /* in ascending order */
	struct perfmap *map = perfmap_read(fd, addresses, file->nr);

	for (size_t i = 0; i < file->nr; i++) {
		struct compiled c = {.file = NULL};

		if (perfmap_find(map, i, &c.function, &c.offset))
			name_memory_frame(r, file, &file->lookups[i], &c);
	}
	perfmap_free(map);
	free(addresses);
}

/* Names JIT-compiled code from the perf map, or from the dump that is there in its place. */
static void name_memory(struct resolver *r, struct lookup_file *file)
{
	int fd = open_files_perfmap(r->options->files, file->module.pid);
	bool is_open = fd >= 0 && !lseek(fd, 0, SEEK_SET);
	struct jitdump *dump = is_open ? jitdump_read(fd, NULL, NULL) : NULL;

	file->module.gap = fd < 0 ? GAP_NO_MAP : GAP_NONE;
	if (dump)
		name_by_dump(r, file, dump);
	else if (is_open && !lseek(fd, 0, SEEK_SET))
		name_by_perfmap(r, file, fd);
	jitdump_free(dump);
}

/* Sets the weight of each frame, and the total. */
static void weigh(struct resolver *r)
{
	const struct recording_view all = {.event = -1};

	r->weights = recording_frame_weights(r->rec, &all);
	for (size_t i = 0; i < r->rec->nr_frames; i++)
		add_capped(&r->weight, r->weights[i]);
}

/* Returns whether lines or inlined calls may be downloaded. */
static bool downloads_debuginfo(const struct resolver *r)
{
	return symbol_needs_debuginfo(r->options) && !r->options->optional;
}

/* Returns whether a debug file would add names, or the lines that were asked for. */
static bool would_help(const struct resolver *r, const struct lookup_file *file)
{
	if (!*file->build_id || !*file->path || file->module.gap == GAP_FAILED)
		return false;
	return file->module.source < SOURCE_OWN ||
	       (downloads_debuginfo(r) && !file->module.has_debuginfo);
}

static uint64_t missing_weight(const struct resolver *r, const struct lookup_file *file)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < file->nr; i++) {
		uint32_t frame = file->lookups[i].frame;

		if (!r->rec->frames[frame].nr_names ||
			(downloads_debuginfo(r) &&
				lookup_lacks_debuginfo(r->rec, r->options, &r->rec->frames[frame])))
			add_capped(&missing, r->weights[frame]);
	}
	return missing;
}

static bool is_heavy(const struct resolver *r, const struct lookup_file *file)
{
	uint64_t missing = missing_weight(r, file);

	return missing &&
	       (r->options->debuginfod == DEBUGINFOD_ALWAYS ||
		       (double)missing * 100 >= r->options->debuginfod_min * (double)r->weight);
}

/*
 * Downloads of one kind. These are debug files, or the files that dwz moved parts of them to, which
 * several debug files share.
 */
struct batch {
	struct resolver *r;
	bool alt;
	struct debuginfod_file *list;
	size_t nr;
	struct requester {
		struct lookup_file *file;
		size_t at; /* index in the list */
	} * requesters;
	size_t nr_requesters;
};

static void batch_add(struct batch *batch, struct lookup_file *file)
{
	const char *id = batch->alt ? file->alt_id : file->build_id;
	size_t at = 0;

	while (at < batch->nr && strcmp(batch->list[at].build_id, id) != 0)
		at++;
	if (at == batch->nr)
		batch->list[batch->nr++] =
			(struct debuginfod_file){.build_id = id, .name = file->path};
	file->module.requested = true;
	batch->requesters[batch->nr_requesters++] = (struct requester){file, at};
}

static void batch_fill(struct batch *batch)
{
	const struct resolver *r = batch->r;

	for (size_t i = 0; i < r->lookups.nr; i++) {
		struct lookup_file *file = &r->lookups.files[i];

		if ((batch->alt ? *file->alt_id && downloads_debuginfo(r) : would_help(r, file)) &&
			is_heavy(r, file))
			batch_add(batch, file);
	}
}

static void batch_finish(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr_requesters; i++) {
		struct lookup_file *file = batch->requesters[i].file;
		const char *path = batch->list[batch->requesters[i].at].path;

		if (!path)
			continue;
		file->pending = true;
		if (batch->alt)
			file->job.downloaded_alt = file->downloaded_alt = xstrdup(path);
		else
			file->job.downloaded = file->downloaded = xstrdup(path);
	}
	run_pending(batch->r);
	for (size_t i = 0; i < batch->nr_requesters; i++) {
		const struct lookup_file *file = batch->requesters[i].file;

		if (file->module.gap != GAP_FAILED && (batch->alt ? *file->alt_id : file->rejected))
			debuginfod_reject(&batch->list[batch->requesters[i].at]);
	}
}

static void batch_release(struct batch *batch)
{
	for (size_t i = 0; i < batch->nr; i++)
		free(batch->list[i].path);
	free(batch->list);
	free(batch->requesters);
}

static void download(struct resolver *r, bool alt)
{
	struct debuginfod_options options = {
		.again = r->options->debuginfod == DEBUGINFOD_ALWAYS, .quiet = r->options->quiet};
	struct batch batch = {
		.r = r,
		.alt = alt,
		.list = xcalloc(r->lookups.nr, sizeof(*batch.list)),
		.requesters = xcalloc(r->lookups.nr, sizeof(*batch.requesters)),
	};

	batch_fill(&batch);
	if (batch.nr) {
		int64_t began_ns = monotonic_ns();

		debuginfod_fetch(batch.list, batch.nr, &options, r->notes);
		r->until_ns += monotonic_ns() - began_ns; /* downloads have their own timeouts */
		batch_finish(&batch);
	}
	batch_release(&batch);
}

/* Downloads the missing debug files that servers have. */
static void download_all(struct resolver *r)
{
	/* root neither reads data from the network nor writes to another user's cache */
	if (r->options->debuginfod == DEBUGINFOD_NEVER || !r->lookups.nr || user_is_sudo() ||
		!debuginfod_has_servers())
		return;
	weigh(r);
	download(r, false);
	download(r, true);
}

/* Adds the notes about FILE. Returns whether there are any. */
static bool note_file(struct strbuf *notes, const struct lookup_file *file)
{
	size_t len = notes->len;
	const struct symbol_module *module = &file->module;

	if (file->rejected) {
		strbuf_adds(notes, "debuginfod: the file sent for ");
		message_add_path(notes, file->path);
		strbuf_adds(notes, " is not its debug file; removed from the cache\n");
	}
	if (file->replaced && file->path[0] == '/') {
		message_add_path(notes, file->path);
		strbuf_addf(notes, " is not the file that was recorded (build-id %s, not ",
			*file->other_id ? file->other_id : "missing");
		message_add(notes, file->build_id, strlen(file->build_id));
		strbuf_adds(notes, ")\n");
	} else if (module->gap == GAP_NOT_ELF) {
		message_add_path(notes, file->path);
		strbuf_adds(notes, " is not an ELF program or library\n");
	} else if (module->gap == GAP_FAILED) {
		strbuf_adds(notes, "cannot read the symbols of ");
		message_add_path(notes, file->path);
		strbuf_addf(notes, ": %s\n", module->detail);
	}
	return notes->len > len;
}

static bool is_deleted(const char *path)
{
	return ends_with(path, " (deleted)");
}

static bool is_silent(const struct lookup_file *file)
{
	return file->module.gap == GAP_UNREADABLE &&
	       !strcmp(file->module.detail, lookup_job_silent);
}

static bool is_missing(const struct lookup_file *file)
{
	const struct symbol_module *module = &file->module;

	return (module->gap == GAP_GONE || module->gap == GAP_UNREADABLE) && !is_silent(file) &&
	       !is_deleted(file->path);
}

static bool lacks_zstd(const struct lookup_file *file)
{
	return file->module.lack == DEBUG_LACK_ZSTD;
}

static bool lacks_dwo(const struct lookup_file *file)
{
	return file->module.lack == DEBUG_LACK_DWO;
}

/*
 * Adds one line for all NR files, of which FIRST is one. WHAT is said of one file, or of several.
 */
static void note_all(
	struct strbuf *notes, const struct lookup_file *first, size_t nr, const char *const what[2])
{
	if (!nr)
		return;
	if (nr > 1)
		strbuf_addf(notes, "%zu files %s, such as ", nr, what[1]);
	message_add_path(notes, first->path);
	if (nr > 1)
		strbuf_adds(notes, "\n");
	else
		strbuf_addf(notes, " %s\n", what[0]);
}

/* Notes about files, with one line for all files of a kind. */
static const struct file_note {
	bool (*is)(const struct lookup_file *file);
	const char *what[2];
} file_notes[] = {
	{is_missing, {"is missing or unreadable", "are missing or unreadable"}},
	{is_silent, {"does not answer (FUSE, network file system?)",
			    "do not answer (FUSE, network file system?)"}},
	{lacks_zstd,
		{"has debug information in zstd, which the installed libelf cannot read",
			"have debug information in zstd, which the installed libelf cannot read"}},
	{lacks_dwo, {"lacks .dwo files: not all inlined calls are shown",
			    "lack .dwo files: not all inlined calls are shown"}},
};

/* Returns whether nothing is said of FILE, which can only add what nobody asked for. */
static bool is_optional(const struct resolver *r, const struct lookup_file *file)
{
	return r->options->optional && !r->report && file->named;
}

static void note_kinds(const struct resolver *r)
{
	for (size_t k = 0; k < ARRAY_LEN(file_notes); k++) {
		const struct lookup_file *first = NULL;
		size_t nr = 0;

		for (size_t i = 0; i < r->lookups.nr; i++)
			if (!is_optional(r, &r->lookups.files[i]) &&
				file_notes[k].is(&r->lookups.files[i]) && !nr++)
				first = &r->lookups.files[i];
		note_all(r->notes, first, nr, file_notes[k].what);
	}
}

static void report_files(const struct resolver *r)
{
	struct symbol_report *report = r->report;
	struct strbuf more = STRBUF_INIT;
	size_t nr = 0;

	for (size_t i = 0; i < r->lookups.nr; i++) {
		strbuf_reset(&more);
		if (!is_optional(r, &r->lookups.files[i]))
			nr += note_file(nr < NOTES_MAX ? r->notes : &more, &r->lookups.files[i]);
		if (!report)
			continue;
		ALLOC_GROW(report->list, report->nr, report->alloc);
		report->list[report->nr++] = r->lookups.files[i].module;
	}
	if (nr > NOTES_MAX)
		strbuf_addf(r->notes, "%zu more files are damaged, replaced, or took too long\n",
			nr - NOTES_MAX);
	strbuf_release(&more);
	note_kinds(r);
}

/*
 * Returns whether frames with lines from an earlier run were not searched for inlined calls,
 * because the debug information of their file is missing. It may be found on another machine.
 */
static bool lacks_inlines(const struct resolver *r)
{
	for (size_t i = 0; i < r->lookups.nr; i++) {
		const struct lookup_file *file = &r->lookups.files[i];

		for (size_t k = 0; !file->module.has_debuginfo && k < file->nr; k++) {
			const struct rec_frame *frame = &r->rec->frames[file->lookups[k].frame];

			if (frame->nr_names && r->rec->names[frame->names].file)
				return true;
		}
	}
	return false;
}

void symbol_resolve(struct recording *rec, const struct symbol_options *options,
	struct symbol_report *report, struct strbuf *notes)
{
	struct resolver r = {
		.rec = rec,
		.options = options,
		.report = report,
		.notes = notes,
		.until_ns = monotonic_ns() + ALL_S * 1000000000LL,
	};

	lookup_list_init(&r.lookups, rec, options);
	opener_init(&r.opener);
	for (size_t i = 0; i < r.lookups.nr; i++)
		if (!*r.lookups.files[i].path)
			name_memory(&r, &r.lookups.files[i]);
		else
			r.lookups.files[i].pending = true;
	run_pending(&r);
	download_all(&r);
	library_jit_name(rec);
	if (options->inlines && !recording_meta(rec, "inlines") && !lacks_inlines(&r))
		recording_add_meta(rec, "inlines", "yes");
	opener_release(&r.opener);
	report_files(&r);
	lookup_list_release(&r.lookups);
	free(r.weights);
}

void symbol_report_release(struct symbol_report *report)
{
	free(report->list);
	*report = (struct symbol_report){0};
}
