/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "answer.h"
#include "files.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "lib/word.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/names/perfmap.h"
#include "wanted.h"
#include "worker.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_S = 60 }; /* seconds that one file may take */

struct resolver {
	struct recording *rec;
	const struct symbol_options *options;
	struct strbuf *notes;
	struct wanted_list wanted;
	uint64_t *weights; /* of each frame */
	uint64_t weight;   /* of all */
};

void symbol_report_release(struct symbol_report *report)
{
	free(report->list);
	*report = (struct symbol_report){0};
}

/* The names of an answer as those of the recording. */
static void name_frame(struct resolver *r, const struct wanted *w, const struct answer *a,
	const struct answer_frame *from, uint32_t *strings)
{
	const struct rec_frame *frame = &r->rec->frames[w->frame];
	struct rec_name *names = xcalloc(from->nr, sizeof(*names));

	for (uint32_t i = 0; i < from->nr; i++) {
		const struct answer_name *name = &a->names[from->first + i];
		const uint32_t both[] = {name->function, name->file};

		for (size_t k = 0; k < ARRAY_LEN(both); k++)
			if (both[k] && !strings[both[k]])
				strings[both[k]] = strpool_add(&r->rec->strings,
					strpool_get(&a->strings, both[k]),
					strpool_len(&a->strings, both[k]));
		names[i] = (struct rec_name){
			.function = strings[name->function],
			.file = name->file ? strings[name->file] : 0,
			.line = name->line,
			.offset = name->offset,
		};
	}
	names[from->nr - 1].offset += frame->call;
	if (frame->kind == FRAME_KERNEL) { /* nobody knows its functions better than it did */
		struct rec_name *last = &names[from->nr - 1];
		const struct rec_name *known = &r->rec->names[frame->names + frame->nr_names - 1];

		last->function = known->function;
		last->offset = known->offset;
		for (uint32_t i = 0; i < from->nr; i++)
			names[i].module = known->module;
	}
	if (!frame->nr_names || names[from->nr - 1].file)
		recording_name_frame(r->rec, w->frame, names, from->nr);
	free(names);
}

static void name_frames(struct resolver *r, const struct wanted_file *file, const struct answer *a)
{
	uint32_t *strings = xcalloc(a->strings.nr, sizeof(*strings));
	uint32_t *frame_of = xcalloc(file->module.nr_places, sizeof(*frame_of));

	for (uint32_t i = 0; i < a->head.nr_frames; i++)
		if (a->frames[i].place < file->module.nr_places)
			frame_of[a->frames[i].place] = i + 1;
	for (size_t i = 0; i < file->nr; i++)
		if (frame_of[file->frames[i].place])
			name_frame(r, &file->frames[i], a,
				&a->frames[frame_of[file->frames[i].place] - 1], strings);
	free(strings);
	free(frame_of);
}

static void take_answer(struct resolver *r, struct wanted_file *file, const struct worker *w)
{
	struct symbol_module *said = &file->said;
	struct answer a;

	answer_init(&a);
	if (w->end != WORKER_DONE || answer_read(&a, &w->answer)) {
		said->gap = GAP_FAILED;
		strcpy(said->detail, w->end == WORKER_LATE   ? "it took too long"
				     : w->end == WORKER_NONE ? "no process can be started"
							     : "it crashed");
	} else {
		said->source = (enum symbol_source)a.head.source;
		said->gap = (enum symbol_gap)a.head.gap;
		said->has_debuginfo = a.head.has_debuginfo;
		file->rejected = a.head.rejected;
		file->replaced = a.head.replaced;
		memcpy(file->other, a.head.other, sizeof(file->other));
		memcpy(file->alt, a.head.alt, sizeof(file->alt));
		memcpy(said->detail, a.head.detail, sizeof(said->detail));
		name_frames(r, file, &a);
	}
	answer_release(&a);
}

/* All files that are due. */
static void work_on(struct resolver *r)
{
	struct worker *workers = xcalloc(r->wanted.nr, sizeof(*workers));
	struct wanted_file **files = xcalloc(r->wanted.nr, sizeof(*files));
	size_t nr = 0;

	for (size_t i = 0; i < r->wanted.nr; i++) {
		struct wanted_file *file = &r->wanted.files[i];

		if (!file->due)
			continue;
		file->due = false;
		files[nr] = file;
		workers[nr++] = (struct worker){
			.prepare = module_prepare,
			.work = module_work,
			.finish = module_finish,
			.arg = &file->module,
			.answer = STRBUF_INIT,
		};
	}
	workers_run(workers, nr, FILE_S);
	for (size_t i = 0; i < nr; i++) {
		take_answer(r, files[i], &workers[i]);
		strbuf_release(&workers[i].answer);
	}
	free(workers);
	free(files);
}

/* Code that a compiler made in memory, from the list that it keeps. */
static void name_memory(struct resolver *r, struct wanted_file *file)
{
	int fd = symbol_files_perfmap(r->options->files, file->said.pid);
	struct perfmap *map = fd < 0 ? NULL : perfmap_read(fd);

	file->said.gap = map ? GAP_NONE : GAP_NO_MAP;
	for (size_t i = 0; map && i < file->nr; i++) {
		const struct wanted *w = &file->frames[i];
		struct rec_frame *frame = &r->rec->frames[w->frame];
		struct rec_name name = {0};
		const char *function;

		if (!perfmap_find(map, w->at, &function, &name.offset))
			continue;
		name.function = recording_string(r->rec, function);
		name.module = recording_string(r->rec, "[jit]");
		name.offset += frame->call;
		frame->kind = FRAME_JIT;
		file->said.source = SOURCE_PERFMAP;
		recording_name_frame(r->rec, w->frame, &name, 1);
	}
	perfmap_free(map);
}

/* The weight of each frame, and of all. */
static void weigh(struct resolver *r)
{
	const struct recording_view all = {.event = -1};

	r->weights = recording_frame_weights(r->rec, &all);
	for (size_t i = 0; i < r->rec->nr_frames; i++)
		add_capped(&r->weight, r->weights[i]);
}

/* Lines and inlined calls are wanted from wherever they are. */
static bool fetches_debuginfo(const struct resolver *r)
{
	return r->options->inlines || r->options->lines;
}

/* What a debug file would bring: names where there is no full table, lines where they are wanted.
 */
static bool would_help(const struct resolver *r, const struct wanted_file *file)
{
	if (!*file->build_id || !*file->path || file->said.gap == GAP_FAILED)
		return false;
	return file->said.source < SOURCE_OWN ||
	       (fetches_debuginfo(r) && !file->said.has_debuginfo);
}

static uint64_t missing_weight(const struct resolver *r, const struct wanted_file *file)
{
	uint64_t missing = 0;

	for (size_t i = 0; i < file->nr; i++) {
		uint32_t frame = file->frames[i].frame;

		if (!r->rec->frames[frame].nr_names ||
			(fetches_debuginfo(r) &&
				wanted_more(r->rec, r->options, &r->rec->frames[frame])))
			add_capped(&missing, r->weights[frame]);
	}
	return missing;
}

static bool is_heavy(const struct resolver *r, const struct wanted_file *file)
{
	uint64_t missing = missing_weight(r, file);

	return missing &&
	       (r->options->fetch == FETCH_ALWAYS ||
		       (double)missing * 100 >= r->options->fetch_min * (double)r->weight);
}

/* One round to the servers: for debug files, or for what dwz moved out of those, which several
 * files have in common. */
struct round {
	struct resolver *r;
	bool alt;
	struct debuginfod_file *list;
	size_t nr;
	struct asker {
		struct wanted_file *file;
		size_t at; /* in the list */
	} * askers;
	size_t nr_askers;
};

static void round_add(struct round *round, struct wanted_file *file)
{
	const char *id = round->alt ? file->alt : file->build_id;
	size_t at = 0;

	while (at < round->nr && strcmp(round->list[at].build_id, id) != 0)
		at++;
	if (at == round->nr)
		round->list[round->nr++] =
			(struct debuginfod_file){.build_id = id, .name = file->path};
	file->said.asked = true;
	round->askers[round->nr_askers++] = (struct asker){file, at};
}

static void round_ask(struct round *round)
{
	const struct resolver *r = round->r;

	for (size_t i = 0; i < r->wanted.nr; i++) {
		struct wanted_file *file = &r->wanted.files[i];

		if ((round->alt ? *file->alt && fetches_debuginfo(r) : would_help(r, file)) &&
			is_heavy(r, file))
			round_add(round, file);
	}
}

static void round_take(struct round *round)
{
	for (size_t i = 0; i < round->nr_askers; i++) {
		struct wanted_file *file = round->askers[i].file;
		const char *path = round->list[round->askers[i].at].path;

		if (!path)
			continue;
		file->due = true;
		if (round->alt)
			file->module.fetched_alt = file->fetched_alt = xstrdup(path);
		else
			file->module.fetched = file->fetched = xstrdup(path);
	}
	work_on(round->r);
	for (size_t i = 0; i < round->nr_askers; i++) {
		const struct wanted_file *file = round->askers[i].file;

		if (file->said.gap != GAP_FAILED && (round->alt ? *file->alt : file->rejected))
			debuginfod_reject(&round->list[round->askers[i].at]);
	}
}

static void round_release(struct round *round)
{
	for (size_t i = 0; i < round->nr; i++)
		free(round->list[i].path);
	free(round->list);
	free(round->askers);
}

static void fetch(struct resolver *r, bool alt)
{
	struct debuginfod_options options = {
		.again = r->options->fetch == FETCH_ALWAYS, .quiet = r->options->quiet};
	struct round round = {
		.r = r,
		.alt = alt,
		.list = xcalloc(r->wanted.nr, sizeof(*round.list)),
		.askers = xcalloc(r->wanted.nr, sizeof(*round.askers)),
	};

	round_ask(&round);
	if (round.nr) {
		debuginfod_fetch(round.list, round.nr, &options, r->notes);
		round_take(&round);
	}
	round_release(&round);
}

/* What servers have of the files that lack something. */
static void fetch_all(struct resolver *r)
{
	/* nothing of the net is handled as root, nor root's files put into another user's cache */
	if (r->options->fetch == FETCH_NEVER || !r->wanted.nr || user_is_sudo() ||
		!debuginfod_has_servers())
		return;
	weigh(r);
	fetch(r, false);
	fetch(r, true);
}

static void note_file(struct strbuf *notes, const struct wanted_file *file)
{
	const struct symbol_module *said = &file->said;

	if (file->rejected) {
		strbuf_adds(notes, "what a debuginfod server sent for ");
		message_add_path(notes, file->path);
		strbuf_adds(notes, " is not its debug file: it is thrown away\n");
	}
	if (file->replaced && file->path[0] == '/') {
		message_add_path(notes, file->path);
		strbuf_addf(notes, " is not the file that was recorded (build-id %s, not ",
			*file->other ? file->other : "missing");
		message_add(notes, file->build_id, strlen(file->build_id));
		strbuf_adds(notes, ")\n");
	} else if (said->gap == GAP_NOT_ELF) {
		message_add_path(notes, file->path);
		strbuf_adds(notes, " is no ELF program or library\n");
	} else if (said->gap == GAP_FAILED) {
		strbuf_adds(notes, "the symbols of ");
		message_add_path(notes, file->path);
		strbuf_addf(notes, " are left out: reading them failed (%s)\n", said->detail);
	}
}

static bool is_deleted(const char *path)
{
	return ends_with(path, " (deleted)");
}

static void note_missing(const struct resolver *r)
{
	const struct wanted_file *first = NULL;
	size_t missing = 0;

	for (size_t i = 0; i < r->wanted.nr; i++) {
		const struct wanted_file *file = &r->wanted.files[i];

		if ((file->said.gap != GAP_GONE && file->said.gap != GAP_UNREADABLE) ||
			is_deleted(file->path))
			continue;
		if (!missing++)
			first = file;
	}
	if (!missing)
		return;
	if (missing > 1)
		strbuf_addf(r->notes, "%zu files are not here or cannot be read, as ", missing);
	message_add_path(r->notes, first->path);
	strbuf_adds(r->notes, missing > 1 ? "\n" : " is not here or cannot be read\n");
}

static void tell(const struct resolver *r, struct symbol_report *report)
{
	for (size_t i = 0; i < r->wanted.nr; i++) {
		note_file(r->notes, &r->wanted.files[i]);
		if (!report)
			continue;
		ALLOC_GROW(report->list, report->nr, report->alloc);
		report->list[report->nr++] = r->wanted.files[i].said;
	}
	note_missing(r);
}

/*
 * Frames that have their lines from before were not looked at for inlined calls, as their files had
 * nothing to look into: another machine may.
 */
static bool lacks_inlines(const struct resolver *r)
{
	for (size_t i = 0; i < r->wanted.nr; i++) {
		const struct wanted_file *file = &r->wanted.files[i];

		for (size_t k = 0; !file->said.has_debuginfo && k < file->nr; k++) {
			const struct rec_frame *frame = &r->rec->frames[file->frames[k].frame];

			if (frame->nr_names && r->rec->names[frame->names].file)
				return true;
		}
	}
	return false;
}

void symbol_resolve(struct recording *rec, const struct symbol_options *options,
	struct symbol_report *report, struct strbuf *notes)
{
	struct resolver r = {.rec = rec, .options = options, .notes = notes};

	wanted_find(&r.wanted, rec, options);
	for (size_t i = 0; i < r.wanted.nr; i++)
		if (!*r.wanted.files[i].path)
			name_memory(&r, &r.wanted.files[i]);
		else
			r.wanted.files[i].due = true;
	work_on(&r);
	fetch_all(&r);
	if (options->inlines && !recording_meta(rec, "inlines") && !lacks_inlines(&r))
		recording_add_meta(rec, "inlines", "yes");
	tell(&r, report);
	wanted_release(&r.wanted);
	free(r.weights);
}
