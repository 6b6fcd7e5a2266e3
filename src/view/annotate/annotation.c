/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotation.h"
#include "choice.h"
#include "file_choice.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "model/runtime.h"
#include "symbol/names/demangle.h"
#include "view/function_match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The state while an annotation is made. */
struct annotator {
	struct annotation *a;
	const struct annotate_options *options;
	struct opener opener;
	struct strbuf *notes;
	/* For each recorded function: its index in the list + 1, or 0 if it is not annotated. */
	uint32_t *number_of;
	struct table by_file; /* text of a chosen file's path -> its index in the list + 1 */
	bool *wanted;         /* for each frame: it is in a chosen function or file */
	uint32_t **owners; /* for each function of each file of the code: the recorded function */
};

enum { NOT_LOOKED_UP = UINT32_MAX - 1 };

/* ---- the frames of an instruction ---- */

static const struct code_frame *frames_of(
	const struct annotation *a, uint32_t file, uint32_t insn, uint32_t *nr)
{
	const struct code *code = &a->code.list[file].code;

	*nr = code->insns[insn].nr;
	return code->frames + code->insns[insn].first;
}

/*
 * Returns the recorded function of FRAME. Strings of the code are looked up when they are first
 * used.
 */
static uint32_t function_of(struct annotation *a, uint32_t file, const struct code_frame *frame)
{
	const struct code_file *f = &a->code.list[file];
	uint32_t *function = &a->functions[file][frame->function];

	if (*function == NOT_LOOKED_UP)
		*function = recorded_find(
			&a->recorded, strpool_get(&f->code.strings, frame->function), f->path);
	return *function;
}

static void init_functions(struct annotation *a)
{
	a->functions = xcalloc(a->code.nr, sizeof(*a->functions));
	for (size_t i = 0; i < a->code.nr; i++) {
		uint32_t nr = a->code.list[i].code.strings.nr;

		a->functions[i] = xcalloc(nr, sizeof(**a->functions));
		for (uint32_t k = 0; k < nr; k++)
			a->functions[i][k] = NOT_LOOKED_UP;
	}
}

/*
 * Returns the level of FUNCTION in the frames of an instruction in OWNER's code, or the number of
 * frames if it is not among them. Compilers split functions and inline the parts into each other,
 * so FUNCTION may be there more than once; this returns the innermost level.
 */
static uint32_t level_of(
	struct annotation *a, uint32_t file, uint32_t insn, uint32_t owner, uint32_t function)
{
	uint32_t nr;
	const struct code_frame *frames = frames_of(a, file, insn, &nr);

	for (uint32_t k = 0; k + 1 < nr; k++)
		if (function_of(a, file, &frames[k]) == function)
			return k;
	return nr && owner == function ? nr - 1 : nr;
}

const struct code_frame *annotation_frame(struct annotation *a, const struct annotated *f,
	const struct annotated_block *block, uint32_t insn)
{
	uint32_t nr, level = level_of(a, block->file, insn, block->into, f->function);
	const struct code_frame *frames = frames_of(a, block->file, insn, &nr);

	return level < nr ? &frames[level] : NULL;
}

const char *annotation_name(struct annotation *a, uint32_t file, uint32_t function)
{
	const char *mangled = strpool_get(&a->code.list[file].code.strings, function);
	uint32_t known = recorded_find(&a->recorded, mangled, a->code.list[file].path);
	char *name;

	if (known != NO_FUNCTION)
		return recorded_name(&a->recorded, known);
	name = demangle_name(mangled, a->demangle);
	uint32_t text = strpool_adds(&a->texts, name ? name : *mangled ? mangled : "[unknown]");

	free(name);
	return strpool_get(&a->texts, text);
}

/* ---- blocks ---- */

/*
 * Returns the function of each instruction of CODE + 1, or 0 if there is none. The caller frees the
 * list.
 */
static uint32_t *functions_of_insns(const struct code *code)
{
	uint32_t *list = xcalloc(code->header.nr_insns, sizeof(*list));

	for (uint32_t k = 0; k < code->header.nr_functions; k++)
		for (uint32_t i = 0; i < code->functions[k].nr; i++)
			list[code->functions[k].first + i] = k + 1;
	return list;
}

/* Finds the recorded function of each function of the code, by the frames in it. */
static void find_owners(struct annotator *w)
{
	struct annotation *a = w->a;
	uint32_t **functions = xcalloc(a->code.nr, sizeof(*functions));

	w->owners = xcalloc(a->code.nr, sizeof(*w->owners));
	for (size_t i = 0; i < a->code.nr; i++) {
		uint32_t nr = a->code.list[i].code.header.nr_functions;

		functions[i] = functions_of_insns(&a->code.list[i].code);
		w->owners[i] = xcalloc(nr, sizeof(**w->owners));
		for (uint32_t k = 0; k < nr; k++)
			w->owners[i][k] = NO_FUNCTION;
	}
	for (uint32_t i = 0; i < a->rec->nr_frames; i++) {
		const struct code_place *place = &a->code.places[i];
		uint32_t k = place->insn == NO_CODE ? 0 : functions[place->file][place->insn];

		if (k)
			w->owners[place->file][k - 1] = a->recorded.of_frame[i];
	}
	for (size_t i = 0; i < a->code.nr; i++)
		free(functions[i]);
	free(functions);
}

/*
 * Adds the instruction INSN of OWNER to F, which is inlined there. OWNER's first instruction is
 * FIRST.
 */
static void add_inlined(
	struct annotated *f, uint32_t file, uint32_t first, uint32_t insn, uint32_t owner)
{
	struct annotated_block *last = f->nr_blocks ? &f->blocks[f->nr_blocks - 1] : NULL;
	uint32_t end =
		last && last->file == file && last->first >= first ? last->first + last->nr : 0;

	if (end && end == insn)
		last->nr++;
	else if (!end || end < insn) /* not added for another level yet */
		annotated_add_block(f, file, insn, 1, owner);
}

/* Adds the code of a function to this function, and to the functions that are inlined into it. */
static void add_code(
	struct annotator *w, uint32_t file, const struct code_function *code, uint32_t owner)
{
	struct annotation *a = w->a;
	uint32_t number = owner == NO_FUNCTION ? 0 : w->number_of[owner], nr;

	if (number && code->nr)
		annotated_add_block(&a->list[number - 1], file, code->first, code->nr, owner);
	for (uint32_t i = code->first; i < code->first + code->nr; i++) {
		const struct code_frame *frames = frames_of(a, file, i, &nr);

		for (uint32_t k = 0; k + 1 < nr; k++) {
			uint32_t function = function_of(a, file, &frames[k]);

			if (function == NO_FUNCTION || function == owner || !w->number_of[function])
				continue;
			add_inlined(
				&a->list[w->number_of[function] - 1], file, code->first, i, owner);
		}
	}
}

static void add_blocks(struct annotator *w)
{
	const struct annotation *a = w->a;

	for (uint32_t i = 0; i < a->code.nr; i++) {
		const struct code_file *file = &a->code.list[i];

		for (uint32_t k = 0; !file->why && k < file->code.header.nr_functions; k++)
			add_code(w, i, &file->code.functions[k], w->owners[i][k]);
	}
}

/* ---- lines ---- */

static uint32_t add_source(struct annotation *a, uint32_t file, uint32_t path)
{
	const struct code_file *code = &a->code.list[file];
	uint32_t text = strpool_import(&a->texts, &code->code.strings, path);
	bool is_new;
	uint32_t *at = table_put(&a->by_path, text, file, &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)a->nr_sources;
	ALLOC_GROW(a->sources, a->nr_sources, a->sources_alloc);
	a->sources[a->nr_sources++] = (struct source_file){
		.path = strpool_get(&code->code.strings, path),
		.build_id = code->build_id,
		.program = code->path,
		.built_ns = code->modified_ns,
	};
	return *at;
}

/* Returns whether texts that are called as PATH are numbered, or named by what they begin with. */
static bool is_one_of_many(const char *path)
{
	return !*path || strchr("([", *path);
}

/* Adds the contents that processes had at the path of FILE. */
static void add_blobs(const struct recording *rec, struct source_file *file)
{
	size_t alloc = 0;

	for (size_t i = 0; i < rec->nr_sources; i++) {
		if (strcmp(recording_get(rec, rec->sources[i].path), file->path))
			continue;
		ALLOC_GROW(file->blobs, file->nr_blobs, alloc);
		file->blobs[file->nr_blobs++] = recording_get(rec, rec->sources[i].blob);
		file->late |= rec->sources[i].late;
	}
}

/* Takes TASK, which may be NULL, for one that has executed FILE, unless the known one runs. */
static void prefer_task(struct source_file *file, const struct rec_task *task)
{
	if (!task || source_task_runs(file->tid, file->start))
		return;
	file->tid = task->tid;
	file->start = task->start;
}

/*
 * Adds the source file of an interpreter's function, which TASK, or NULL, has executed. The
 * texts of evals, which are numbered, count as one.
 */
static uint32_t add_script(struct annotation *a, const char *path, const struct rec_task *task)
{
	bool is_new;

	if (is_one_of_many(path))
		path = "(text)";
	uint32_t *at = table_put(&a->by_path, strpool_adds(&a->texts, path), UINT32_MAX, &is_new);

	if (!is_new) {
		prefer_task(&a->sources[*at], task);
		return *at;
	}
	*at = (uint32_t)a->nr_sources;
	ALLOC_GROW(a->sources, a->nr_sources, a->sources_alloc);
	struct source_file *file = &a->sources[a->nr_sources++];

	*file = (struct source_file){
		.path = path,
		.build_id = "",
		.built_ns = (int64_t)recording_started(a->rec),
		.is_text = runtime_is_text(path),
	};
	add_blobs(a->rec, file);
	prefer_task(file, task);
	return *at;
}

static void add_lines(struct annotation *a, struct annotated *f)
{
	const struct code_frame *last = NULL;

	for (size_t i = 0; i < f->nr_blocks; i++)
		for (uint32_t k = 0; k < f->blocks[i].nr; k++) {
			const struct annotated_block *b = &f->blocks[i];
			const struct code_frame *frame = annotation_frame(a, f, b, b->first + k);

			if (!frame || !frame->file || !frame->line ||
				(last && last->file == frame->file && last->line == frame->line))
				continue;
			annotated_add_line(f, add_source(a, b->file, frame->file), frame->line);
			last = b->nr > k + 1 ? frame : NULL;
		}
	annotated_sort_lines(f);
}

/* Returns the name of a frame that has a source line and no code, as functions of interpreters. */
static const struct rec_name *script_name(const struct recording *rec, uint32_t frame)
{
	const struct rec_frame *f = &rec->frames[frame];
	const struct rec_name *n = f->nr_names ? &rec->names[f->names] : NULL;

	return n && f->place == AT_NAME && n->file && n->line ? n : NULL;
}

/*
 * Notes tasks that have executed frames, where none is known yet. Only tasks whose RUNS is WANTED
 * are noted.
 */
static void note_tasks(
	const struct recording *rec, const bool *runs, bool wanted, bool *seen, uint32_t *tasks)
{
	for (size_t i = 0; i < rec->nr_rows; i++)
		for (int k = 0; k < ROW_STACKS && rec->rows[i].stacks[k] != NO_STACK; k++) {
			uint32_t id = rec->rows[i].stacks[k], task = rec->rows[i].task;
			const struct rec_stack *s = &rec->stacks[id];

			if (seen[id] || runs[task] != wanted)
				continue;
			for (uint32_t n = 0; n < s->nr; n++) {
				uint32_t *known = &tasks[rec->frame_refs[s->first + n]];

				*known = *known ? *known : task + 1;
			}
			seen[id] = true;
		}
}

/*
 * Returns for each frame a task that has executed it + 1, or 0. Tasks that still run are preferred.
 * The caller frees the list.
 */
static uint32_t *find_tasks(const struct recording *rec)
{
	uint32_t *tasks = xcalloc(rec->nr_frames, sizeof(*tasks));
	bool *seen = xcalloc(rec->nr_stacks, sizeof(*seen));
	bool *runs = xcalloc(rec->nr_tasks, sizeof(*runs));

	for (size_t i = 0; i < rec->nr_tasks; i++)
		runs[i] = source_task_runs(rec->tasks[i].tid, rec->tasks[i].start);
	note_tasks(rec, runs, true, seen, tasks);
	note_tasks(rec, runs, false, seen, tasks);
	free(runs);
	free(seen);
	return tasks;
}

/* What is done with a line of F that FRAME counts for. */
typedef void line_work(
	struct annotation *a, struct annotated *f, uint32_t frame, uint32_t source, uint32_t line);

/* Returns the chosen file with the path PATH, or NULL. */
static struct annotated *chosen_file(
	struct annotator *w, const struct strpool *strings, uint32_t path)
{
	const uint32_t *at = table_get(&w->by_file, strpool_import(&w->a->texts, strings, path), 0);

	return at ? &w->a->list[*at - 1] : NULL;
}

/* Does WORK for the lines of chosen files that FRAME, which has code, counts for. */
static void do_code_lines(struct annotator *w, uint32_t frame, line_work *work)
{
	const struct code_place *place = &w->a->code.places[frame];
	uint32_t nr;
	const struct code_frame *frames = frames_of(w->a, place->file, place->insn, &nr);
	const struct strpool *strings = &w->a->code.list[place->file].code.strings;

	for (uint32_t k = 0; k < nr; k++) {
		struct annotated *f = frames[k].file && frames[k].line
					      ? chosen_file(w, strings, frames[k].file)
					      : NULL;

		if (f)
			work(w->a, f, frame, add_source(w->a, place->file, frames[k].file),
				frames[k].line);
	}
}

/*
 * Does WORK for the line of FRAME, which has only a line, in its function and in its file. TASK, or
 * NULL, has executed it.
 */
static void do_script_line(struct annotator *w, uint32_t frame, const struct rec_name *n,
	const struct rec_task *task, line_work *work)
{
	struct annotation *a = w->a;
	uint32_t number = w->number_of[a->recorded.of_frame[frame]];
	struct annotated *f = w->by_file.nr ? chosen_file(w, &a->rec->strings, n->file) : NULL;

	if (!number && !f)
		return;
	uint32_t source = add_script(a, recording_get(a->rec, n->file), task);

	if (number)
		work(a, &a->list[number - 1], frame, source, n->line);
	if (f)
		work(a, f, frame, source, n->line);
}

/* Does WORK for the lines of chosen files that FRAME counts for, if its code is not known. */
static void do_named_lines(struct annotator *w, uint32_t frame, line_work *work)
{
	const struct recording *rec = w->a->rec;
	const struct rec_frame *f = &rec->frames[frame];

	for (uint32_t k = f->names; k < f->names + f->nr_names; k++) {
		const struct rec_name *n = &rec->names[k];
		struct annotated *file =
			n->file && n->line ? chosen_file(w, &rec->strings, n->file) : NULL;

		if (file)
			work(w->a, file, frame, add_script(w->a, recording_get(rec, n->file), NULL),
				n->line);
	}
}

/*
 * Does WORK for the lines that FRAME counts for, except for lines of functions that have code.
 * TASK, or NULL, has executed it.
 */
static void do_lines(
	struct annotator *w, uint32_t frame, const struct rec_task *task, line_work *work)
{
	const struct rec_name *n = script_name(w->a->rec, frame);

	if (n)
		do_script_line(w, frame, n, task, work);
	else if (w->by_file.nr && w->a->code.places[frame].insn != NO_CODE)
		do_code_lines(w, frame, work);
	else if (w->by_file.nr)
		do_named_lines(w, frame, work);
}

static void add_line(
	struct annotation *a, struct annotated *f, uint32_t frame, uint32_t source, uint32_t line)
{
	(void)a;
	(void)frame;
	annotated_add_line(f, source, line);
}

/* Adds the lines that were executed to functions of interpreters, and to files. */
static void add_executed_lines(struct annotator *w)
{
	struct annotation *a = w->a;
	uint32_t *tasks = find_tasks(a->rec);

	for (uint32_t i = 0; i < a->rec->nr_frames; i++)
		do_lines(w, i, tasks[i] ? &a->rec->tasks[tasks[i] - 1] : NULL, add_line);
	for (size_t i = 0; i < a->nr; i++)
		annotated_sort_lines(&a->list[i]);
	free(tasks);
}

/* ---- counters ---- */

static void count(struct annotation *a, uint32_t frame, uint32_t *counter)
{
	if (*counter == NO_COUNTER)
		*counter = weighing_add(&a->sums);
	weighing_link(&a->sums, frame, *counter);
}

/*
 * Returns the inlined call in LINE that contains an instruction. LEVEL is the caller's level in the
 * frames of the instruction.
 */
static struct annotated_call *call_of(struct annotation *a, struct annotated_line *line,
	uint32_t file, uint32_t insn, uint32_t level)
{
	uint32_t nr;
	const struct code_frame *frames = frames_of(a, file, insn, &nr);
	const struct strpool *strings = &a->code.list[file].code.strings;
	struct annotated_call call = {.line = frames->line, .counter = NO_COUNTER};

	call.function =
		strpool_adds(&a->texts, annotation_name(a, file, frames[level - 1].function));
	call.innermost = strpool_adds(&a->texts, annotation_name(a, file, frames->function));
	call.file = strpool_import(&a->texts, strings, frames->file);
	for (uint32_t i = line->calls; i; i = a->calls[i - 1].next) {
		struct annotated_call *c = &a->calls[i - 1];

		if (c->function == call.function && c->innermost == call.innermost &&
			c->file == call.file && c->line == call.line)
			return c;
	}
	call.next = line->calls;
	ALLOC_GROW(a->calls, a->nr_calls, a->calls_alloc);
	a->calls[a->nr_calls++] = call;
	line->calls = (uint32_t)a->nr_calls;
	return &a->calls[a->nr_calls - 1];
}

static struct annotated_line *line_of(
	struct annotation *a, struct annotated *f, uint32_t file, const struct code_frame *frame)
{
	if (!frame->file || !frame->line)
		return NULL;
	return annotated_find_line(f, add_source(a, file, frame->file), frame->line);
}

/* Counts FRAME for the line of FUNCTION that contains its instruction, and for the inlined call. */
static void count_function(struct annotation *a, uint32_t frame, uint32_t function)
{
	const struct code_place *place = &a->code.places[frame];
	struct annotated *f = &a->list[function];
	uint32_t owner = a->recorded.of_frame[frame], nr;
	uint32_t level = level_of(a, place->file, place->insn, owner, f->function);
	const struct code_frame *frames = frames_of(a, place->file, place->insn, &nr);
	struct annotated_line *line =
		level < nr ? line_of(a, f, place->file, &frames[level]) : NULL;

	if (!line)
		return;
	count(a, frame, &line->counter);
	if (level)
		count(a, frame, &call_of(a, line, place->file, place->insn, level)->counter);
}

static void count_line(
	struct annotation *a, struct annotated *f, uint32_t frame, uint32_t source, uint32_t line)
{
	count(a, frame, &annotated_find_line(f, source, line)->counter);
}

static void count_frames(struct annotator *w)
{
	struct annotation *a = w->a;

	a->counters = xcalloc(a->code.nr, sizeof(*a->counters));
	for (size_t i = 0; i < a->code.nr; i++) {
		uint32_t nr = a->code.list[i].code.header.nr_insns;

		a->counters[i] = xcalloc(nr, sizeof(**a->counters));
		memset(a->counters[i], 0xff, nr * sizeof(**a->counters));
	}
	for (uint32_t i = 0; i < a->rec->nr_frames; i++) {
		const struct rec_frame *f = &a->rec->frames[i];
		const struct code_place *place = &a->code.places[i];

		do_lines(w, i, NULL, count_line);
		if (place->insn == NO_CODE)
			continue;
		count(a, i, &a->counters[place->file][place->insn]);
		for (uint32_t k = 0; k <= f->nr_names; k++) {
			uint32_t function = k < f->nr_names ? a->recorded.of_name[f->names + k]
							    : a->recorded.of_frame[i];

			/* the last name is also the frame's function */
			if (w->number_of[function] && (k + 1 != f->nr_names))
				count_function(a, i, w->number_of[function] - 1);
		}
	}
	a->recorded.is_part |= !weighing_sum(&a->sums, a->rec, &w->options->view);
}

struct counter annotation_weights(const struct annotation *a, uint32_t counter)
{
	return counter == NO_COUNTER ? (struct counter){0} : a->sums.list[counter];
}

/* ---- sources ---- */

static int compare_sources(const void *a, const void *b)
{
	const struct annotated_source *x = a, *y = b;
	int order = compare_u64(y->weight, x->weight);

	return order ? order : compare_u64(x->file, y->file);
}

/* A file is of another version if debug information names lines behind its end. */
static void check_length(struct source_file *file, uint32_t line)
{
	struct strbuf why = STRBUF_INIT;

	if (!file->text || line <= file->nr_lines)
		return;
	message_add_path(&why, file->found);
	strbuf_addf(&why, " is another version: it has %" PRIu32 " lines, and ", file->nr_lines);
	if (file->program) {
		message_add_path(&why, file->program);
		strbuf_addf(&why, " was built from line %" PRIu32 " of it", line);
	} else {
		strbuf_addf(&why, "line %" PRIu32 " of it was executed", line);
	}
	file->why = strbuf_detach(&why);
	free(file->text);
	file->text = NULL;
}

static void settle_sources(struct annotator *w)
{
	struct annotation *a = w->a;

	source_files_read(a->sources, a->nr_sources, &w->options->source, &w->opener, w->notes);
	for (size_t i = 0; i < a->nr; i++) {
		struct annotated *f = &a->list[i];

		for (size_t k = 0; k < f->nr_sources; k++) {
			struct annotated_source *s = &f->sources[k];

			for (size_t n = 0; n < s->nr; n++) {
				struct counter c = annotation_weights(a, s->lines[n].counter);

				add_capped(&s->weight, c.self);
				add_capped(&s->weight, c.total);
			}
			if (s->nr)
				check_length(&a->sources[s->file], s->lines[s->nr - 1].line);
		}
		if (f->nr_sources)
			qsort(f->sources, f->nr_sources, sizeof(*f->sources), compare_sources);
	}
}

/* ---- the functions ---- */

static const char *machine_code_of(const struct recorded_function *f)
{
	if (frame_language(f->kind))
		return "is a function of an interpreter of which no source line is known";
	switch (f->kind) {
	case FRAME_JIT:
		return "is code that was made at run time, which recordings do not keep";
	case FRAME_USER:
	case FRAME_KERNEL:
	case FRAME_INLINE:
	case FRAME_WAKER:
		return f->at_address ? NULL : "was recorded without the file that it is in";
	default:
		return "is not a function";
	}
}

/* Returns why the file of F has no code, or NULL if that is not known. */
static const char *why_of_file(const struct annotation *a, const struct annotated *f)
{
	for (size_t i = 0; i < a->code.nr; i++)
		if (a->code.list[i].why &&
			!strcmp(a->code.list[i].path, recorded_module(&a->recorded, f->function)))
			return a->code.list[i].why;
	return NULL;
}

static void explain(struct annotation *a, struct annotated *f)
{
	const char *other = machine_code_of(&a->recorded.list[f->function]);
	const char *file = why_of_file(a, f), *name = recorded_name(&a->recorded, f->function);
	struct strbuf why = STRBUF_INIT;

	message_add_path(&why, name);
	if (other)
		strbuf_addf(&why, " %s", other);
	else if (file)
		strbuf_addf(&why, " has no code: %s", file);
	else
		strbuf_adds(&why, " has no code: where it begins and ends is not known, or it is "
				  "too large");
	f->why = strbuf_detach(&why);
}

/* Returns whether FRAME has a name in a chosen file. */
static bool is_in_file(struct annotator *w, const struct rec_frame *f)
{
	for (uint32_t k = f->names; w->by_file.nr && k < f->names + f->nr_names; k++)
		if (chosen_file(w, &w->a->rec->strings, w->a->rec->names[k].file))
			return true;
	return false;
}

/* Chooses the frames in the code of chosen functions and files. */
static void choose_frames(struct annotator *w)
{
	const struct annotation *a = w->a;
	const struct recording *rec = a->rec;

	w->wanted = xcalloc(rec->nr_frames, sizeof(*w->wanted));
	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];

		w->wanted[i] = w->number_of[a->recorded.of_frame[i]] || is_in_file(w, f);
		for (uint32_t k = f->names; k < f->names + f->nr_names; k++)
			w->wanted[i] |= w->number_of[a->recorded.of_name[k]] != 0;
	}
}

static void annotate(struct annotator *w)
{
	struct annotation *a = w->a;

	choose_frames(w);
	code_files_read(&a->code, a->rec, w->wanted, &w->options->code, &w->opener, w->notes);
	init_functions(a);
	find_owners(w);
	add_blocks(w);
	for (size_t i = 0; i < a->nr; i++)
		add_lines(a, &a->list[i]);
	add_executed_lines(w);
	for (size_t i = 0; i < a->nr; i++)
		if (!a->list[i].nr_blocks && !a->list[i].nr_sources)
			explain(a, &a->list[i]);
	count_frames(w);
	settle_sources(w);
	for (size_t i = 0; i < a->code.nr; i++)
		free(w->owners[i]);
	free(w->owners);
}

static struct annotated annotated_function(const struct recorded *r, uint32_t function)
{
	const struct recorded_function *f = &r->list[function];

	return (struct annotated){
		.function = function,
		.name = xstrdup(recorded_name(r, function)),
		.module = xstrdup(recorded_module(r, function)),
		.self = f->self,
		.total = f->total,
		.by_lines = f->has_line,
	};
}

/* Fills the list with the chosen functions, and the chosen files behind them. */
static bool choose(struct annotator *w)
{
	struct annotation *a = w->a;
	const struct annotate_options *o = w->options;
	struct chosen_file *files;
	uint32_t *functions;
	bool missing = false;
	size_t nr_files =
		file_choice_make(a->rec, &o->view, o->files, o->top, &files, &missing, w->notes);
	size_t nr = 0;

	if (o->functions->nr || !o->files->nr)
		nr = choice_make(
			&a->recorded, o->functions, o->top, &functions, &missing, w->notes);
	else
		functions = NULL;
	a->list = xcalloc(nr + nr_files, sizeof(*a->list));
	w->number_of = xcalloc(a->recorded.nr, sizeof(*w->number_of));
	for (size_t i = 0; i < nr; i++) {
		a->list[a->nr++] = annotated_function(&a->recorded, functions[i]);
		w->number_of[functions[i]] = (uint32_t)a->nr;
	}
	for (size_t i = 0; i < nr_files; i++) {
		bool is_new;

		a->list[a->nr++] = (struct annotated){
			.function = NO_FUNCTION,
			.name = xstrdup(recording_get(a->rec, files[i].path)),
			.module = xstrdup(""),
			.self = files[i].self,
			.total = files[i].total,
			.by_lines = true,
		};
		*table_put(&w->by_file, strpool_import(&a->texts, &a->rec->strings, files[i].path),
			0, &is_new) = (uint32_t)a->nr;
	}
	free(functions);
	free(files);
	return missing;
}

int annotation_init(struct annotation *a, struct recording *rec,
	const struct annotate_options *options, struct strbuf *notes)
{
	struct annotator w = {.a = a, .options = options, .notes = notes};
	uint32_t event = recording_viewed_event(rec, &options->view);

	*a = (struct annotation){.rec = rec, .demangle = options->code.symbol->demangle};
	a->unit = event < rec->nr_events ? recording_get(rec, rec->events[event].unit) : "";
	strpool_init(&a->texts);
	table_init(&a->by_path);
	table_init(&w.by_file);
	weighing_init(&a->sums, rec);
	opener_init(&w.opener);
	recorded_init(&a->recorded, rec, &options->view, a->demangle);
	bool missing = choose(&w);

	if (a->nr)
		annotate(&w);
	if (!a->nr && !missing && a->recorded.weight) {
		strbuf_adds(notes, "no function is in a file: there is no code to show\n");
		missing = true;
	}
	for (size_t i = 0; i < a->nr; i++)
		missing |= a->list[i].why != NULL;
	if (a->recorded.is_part)
		strbuf_adds(notes, "too many frames: not all are counted\n");
	missing |= a->recorded.is_part;
	opener_release(&w.opener);
	table_release(&w.by_file);
	free(w.number_of);
	free(w.wanted);
	return missing;
}

void annotation_release(struct annotation *a)
{
	for (size_t i = 0; i < a->nr; i++)
		annotated_release(&a->list[i]);
	for (size_t i = 0; i < a->code.nr; i++) {
		free(a->counters[i]);
		free(a->functions[i]);
	}
	for (size_t i = 0; i < a->nr_sources; i++) {
		free(a->sources[i].blobs);
		source_file_release(&a->sources[i]);
	}
	free(a->counters);
	free(a->functions);
	free(a->list);
	free(a->sources);
	free(a->calls);
	recorded_release(&a->recorded);
	code_files_release(&a->code);
	strpool_release(&a->texts);
	table_release(&a->by_path);
	weighing_release(&a->sums);
}
