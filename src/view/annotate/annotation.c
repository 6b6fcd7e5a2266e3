/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotation.h"
#include "choice.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "symbol/names/demangle.h"

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
	bool *wanted;      /* for each frame: it is in a chosen function */
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

static void add_block(
	struct annotated *f, uint32_t file, uint32_t first, uint32_t nr, uint32_t into)
{
	ALLOC_GROW(f->blocks, f->nr_blocks, f->blocks_alloc);
	f->blocks[f->nr_blocks++] = (struct annotated_block){file, first, nr, into};
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
		add_block(f, file, insn, 1, owner);
}

/* Adds the code of a function to this function, and to the functions that are inlined into it. */
static void add_code(
	struct annotator *w, uint32_t file, const struct code_function *code, uint32_t owner)
{
	struct annotation *a = w->a;
	uint32_t number = owner == NO_FUNCTION ? 0 : w->number_of[owner], nr;

	if (number && code->nr)
		add_block(&a->list[number - 1], file, code->first, code->nr, owner);
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

/* Whether PATH is a text that an interpreter compiled, of which there is no file. */
static bool is_text_alone(const char *path)
{
	return *path == '(' || *path == '[' || !*path;
}

/*
 * Adds the source file of an interpreter's function, which TASK, or NULL, has executed. The
 * texts of evals, which are numbered, count as one.
 */
static uint32_t add_script(struct annotation *a, const char *path, const struct rec_task *task)
{
	bool is_new;

	if (is_text_alone(path))
		path = "(text)";
	uint32_t *at = table_put(&a->by_path, strpool_adds(&a->texts, path), UINT32_MAX, &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)a->nr_sources;
	ALLOC_GROW(a->sources, a->nr_sources, a->sources_alloc);
	a->sources[a->nr_sources++] = (struct source_file){
		.path = path,
		.build_id = "",
		.built_ns = (int64_t)recording_started(a->rec),
		.tid = task ? task->tid : 0,
		.start = task ? task->start : 0,
		.is_text = is_text_alone(path),
	};
	return *at;
}

/* Returns NULL if no code of F is from this file. */
static struct annotated_source *find_source(struct annotated *f, uint32_t file)
{
	for (size_t i = 0; i < f->nr_sources; i++)
		if (f->sources[i].file == file)
			return &f->sources[i];
	return NULL;
}

static struct annotated_source *source_of(struct annotated *f, uint32_t file)
{
	struct annotated_source *known = find_source(f, file);

	if (known)
		return known;
	ALLOC_GROW(f->sources, f->nr_sources, f->sources_alloc);
	f->sources[f->nr_sources] = (struct annotated_source){.file = file};
	return &f->sources[f->nr_sources++];
}

static int compare_lines(const void *a, const void *b)
{
	const struct annotated_line *x = a, *y = b;

	return compare_u64(x->line, y->line);
}

static void sort_lines(struct annotated_source *s)
{
	size_t nr = 0;

	qsort(s->lines, s->nr, sizeof(*s->lines), compare_lines);
	for (size_t i = 0; i < s->nr; i++)
		if (!nr || s->lines[nr - 1].line != s->lines[i].line)
			s->lines[nr++] = s->lines[i];
	s->nr = nr;
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
			struct annotated_source *s =
				source_of(f, add_source(a, b->file, frame->file));

			ALLOC_GROW(s->lines, s->nr, s->alloc);
			s->lines[s->nr++] =
				(struct annotated_line){.line = frame->line, .counter = NO_COUNTER};
			last = b->nr > k + 1 ? frame : NULL;
		}
	for (size_t i = 0; i < f->nr_sources; i++)
		sort_lines(&f->sources[i]);
}

/* Returns the name of a frame that has a source line and no code, as functions of interpreters. */
static const struct rec_name *script_name(const struct recording *rec, uint32_t frame)
{
	const struct rec_frame *f = &rec->frames[frame];
	const struct rec_name *n = f->nr_names ? &rec->names[f->names] : NULL;

	return n && f->place == AT_NAME && n->file && n->line ? n : NULL;
}

/* Returns for each frame a task that has executed it + 1, or 0. The caller frees the list. */
static uint32_t *find_tasks(const struct recording *rec)
{
	uint32_t *tasks = xcalloc(rec->nr_frames, sizeof(*tasks));
	bool *seen = xcalloc(rec->nr_stacks, sizeof(*seen));

	for (size_t i = 0; i < rec->nr_rows; i++)
		for (int k = 0; k < ROW_STACKS && rec->rows[i].stacks[k] != NO_STACK; k++) {
			uint32_t id = rec->rows[i].stacks[k];
			const struct rec_stack *s = &rec->stacks[id];

			for (uint32_t n = 0; n < s->nr && !seen[id]; n++)
				tasks[rec->frame_refs[s->first + n]] = rec->rows[i].task + 1;
			seen[id] = true;
		}
	free(seen);
	return tasks;
}

/* Adds the lines that were executed to functions of interpreters. */
static void add_script_lines(struct annotator *w)
{
	struct annotation *a = w->a;
	uint32_t *tasks = find_tasks(a->rec);

	for (uint32_t i = 0; i < a->rec->nr_frames; i++) {
		const struct rec_name *n = script_name(a->rec, i);
		uint32_t number = n ? w->number_of[a->recorded.of_frame[i]] : 0;

		if (!number)
			continue;
		uint32_t file = add_script(a, recording_get(a->rec, n->file),
			tasks[i] ? &a->rec->tasks[tasks[i] - 1] : NULL);
		struct annotated_source *s = source_of(&a->list[number - 1], file);

		ALLOC_GROW(s->lines, s->nr, s->alloc);
		s->lines[s->nr++] = (struct annotated_line){.line = n->line, .counter = NO_COUNTER};
	}
	for (size_t i = 0; i < a->nr; i++)
		for (size_t k = 0; k < a->list[i].nr_sources; k++)
			sort_lines(&a->list[i].sources[k]);
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
	struct annotated_source *s;
	struct annotated_line key = {.line = frame->line};

	if (!frame->file || !frame->line)
		return NULL;
	s = find_source(f, add_source(a, file, frame->file));
	return s && s->nr ? bsearch(&key, s->lines, s->nr, sizeof(key), compare_lines) : NULL;
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

/* Counts a frame of an interpreter for its line. */
static void count_script(struct annotator *w, uint32_t frame)
{
	struct annotation *a = w->a;
	const struct rec_name *n = script_name(a->rec, frame);
	uint32_t number = n ? w->number_of[a->recorded.of_frame[frame]] : 0;

	if (!number)
		return;
	struct annotated_source *s = find_source(
		&a->list[number - 1], add_script(a, recording_get(a->rec, n->file), NULL));
	const struct annotated_line key = {.line = n->line};

	count(a, frame,
		&((struct annotated_line *)bsearch(
			  &key, s->lines, s->nr, sizeof(key), compare_lines))
			 ->counter);
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

		if (place->insn == NO_CODE) {
			count_script(w, i);
			continue;
		}
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

/* Chooses the frames in the code of chosen functions. */
static void choose_frames(struct annotator *w)
{
	const struct annotation *a = w->a;
	const struct recording *rec = a->rec;

	w->wanted = xcalloc(rec->nr_frames, sizeof(*w->wanted));
	for (size_t i = 0; i < rec->nr_frames; i++) {
		const struct rec_frame *f = &rec->frames[i];

		w->wanted[i] = w->number_of[a->recorded.of_frame[i]];
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
	add_script_lines(w);
	for (size_t i = 0; i < a->nr; i++)
		if (!a->list[i].nr_blocks && !a->list[i].nr_sources)
			explain(a, &a->list[i]);
	count_frames(w);
	settle_sources(w);
	for (size_t i = 0; i < a->code.nr; i++)
		free(w->owners[i]);
	free(w->owners);
}

int annotation_init(struct annotation *a, struct recording *rec,
	const struct annotate_options *options, struct strbuf *notes)
{
	struct annotator w = {.a = a, .options = options, .notes = notes};
	uint32_t *chosen, event = recording_viewed_event(rec, &options->view);
	bool missing = false;

	*a = (struct annotation){.rec = rec, .demangle = options->code.symbol->demangle};
	a->unit = event < rec->nr_events ? recording_get(rec, rec->events[event].unit) : "";
	strpool_init(&a->texts);
	table_init(&a->by_path);
	weighing_init(&a->sums, rec);
	opener_init(&w.opener);
	recorded_init(&a->recorded, rec, &options->view, a->demangle);
	a->nr = choice_make(
		&a->recorded, options->functions, options->top, &chosen, &missing, notes);
	a->list = xcalloc(a->nr, sizeof(*a->list));
	w.number_of = xcalloc(a->recorded.nr, sizeof(*w.number_of));
	for (size_t i = 0; i < a->nr; i++) {
		a->list[i].function = chosen[i];
		w.number_of[chosen[i]] = (uint32_t)i + 1;
	}
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
	free(w.number_of);
	free(w.wanted);
	free(chosen);
	return missing;
}

void annotation_release(struct annotation *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		for (size_t k = 0; k < a->list[i].nr_sources; k++)
			free(a->list[i].sources[k].lines);
		free(a->list[i].sources);
		free(a->list[i].blocks);
		free(a->list[i].why);
	}
	for (size_t i = 0; i < a->code.nr; i++) {
		free(a->counters[i]);
		free(a->functions[i]);
	}
	for (size_t i = 0; i < a->nr_sources; i++)
		source_file_release(&a->sources[i]);
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
