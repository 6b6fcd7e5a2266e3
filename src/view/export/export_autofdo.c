/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the text form of LLVM's sample profiles, as llvm/include/llvm/ProfileData/
 * SampleProfReader.h describes it. Counts are made as create_llvm_prof makes them: a line has the
 * largest count of its instructions, and a function the number of its samples or, from branches,
 * how many bytes of its code have run.
 */
#include "export_code.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OFFSET_MAX = 0xffff }; /* mask of lines, as LLVM has it */

/*
 * A function, or a copy of it that is inlined at a place of another function. The first one, number
 * 0, is no function: it calls all that are not inlined.
 */
struct code_instance {
	uint32_t function; /* string of the code */
	uint32_t caller;   /* instance */
	uint64_t place;    /* of the call */
	uint64_t head, total;
	uint32_t lines, calls; /* the first ones + 1, or 0 */
	uint32_t next;         /* instance of the same caller, or 0 */
};

struct autofdo {
	const struct export_code *c;
	FILE *out;
	struct code_instance *instances;
	size_t nr_instances, instances_alloc;
	struct table by_call; /* caller and function, place -> instance */
	/* places in instances, with the count of the instruction that ran most often */
	struct profile_line {
		uint32_t instance;
		uint64_t place, count;
		uint32_t targets; /* the first one + 1, or 0 */
		uint32_t next;    /* line of the same instance + 1, or 0 */
	} * lines;
	size_t nr_lines, lines_alloc;
	struct table by_place; /* instance, place -> line */
	/* functions that lines have called */
	struct call_target {
		uint32_t line, function;
		uint64_t count;
		uint32_t next; /* target of the same line + 1, or 0 */
	} * targets;
	size_t nr_targets, targets_alloc;
	struct table by_target;         /* line, function -> target */
	uint64_t placed, without_place; /* sums of instructions with and without a line */
};

/* ---- places ---- */

/*
 * Clang puts three numbers into a discriminator: the first one tells parts of a line apart, the
 * second one is how many copies an optimisation has made of the instruction.
 */
static uint32_t first_number(uint32_t discriminator)
{
	uint32_t bits = discriminator >> 1;

	if (discriminator & 1)
		return 0;
	return bits & 0x20 ? (bits >> 1 & 0xfe0) | (bits & 0x1f) : bits & 0x1f;
}

static uint32_t other_numbers(uint32_t discriminator)
{
	if (discriminator & 1)
		return discriminator >> 1;
	return discriminator >> (discriminator & 0x40 ? 14 : 7);
}

static uint32_t copies_of(const struct code_frame *frame)
{
	uint32_t copies = first_number(other_numbers(frame->discriminator));

	return copies ? copies : 1;
}

/* A place in a function is the line, from the function's first one, and its part. */
static uint64_t place_of(const struct code_frame *frame)
{
	uint64_t offset = (frame->line - frame->first_line) & OFFSET_MAX;

	return offset << 32 | first_number(frame->discriminator);
}

/* Whether a function has a name as linkers know it, which ends at the first blank or colon. */
static bool has_name(const struct code *code, const struct code_frame *frame)
{
	const char *name = strpool_get(&code->strings, frame->function);

	while ((unsigned char)*name > ' ' && *name != ':' && *name != 127)
		name++;
	return frame->function && !*name;
}

static bool has_place(const struct code *code, const struct code_frame *frame)
{
	return frame->line && frame->first_line && has_name(code, frame);
}

/* ---- instances and lines ---- */

static uint32_t instance_at(struct autofdo *a, uint32_t caller, uint64_t place, uint32_t function)
{
	bool is_new;
	uint32_t *at = table_put(&a->by_call, (uint64_t)caller << 32 | function, place, &is_new);

	if (!is_new)
		return *at;
	*at = (uint32_t)a->nr_instances;
	ALLOC_GROW(a->instances, a->nr_instances, a->instances_alloc);
	a->instances[a->nr_instances++] =
		(struct code_instance){.function = function, .caller = caller, .place = place};
	return *at;
}

/* Returns the frames of an instruction, or NULL if one of them has no place. */
static const struct code_frame *frames_of(const struct autofdo *a, uint32_t insn, uint32_t *nr)
{
	const struct code *code = a->c->code;
	const struct code_frame *frames = code->frames + code->insns[insn].first;

	*nr = code->insns[insn].nr;
	for (uint32_t i = 0; i < *nr; i++)
		if (!has_place(code, &frames[i]))
			return NULL;
	return *nr ? frames : NULL;
}

/* Returns the line of an instruction, or NULL if it has none. It is valid until the next call. */
static struct profile_line *line_of(struct autofdo *a, uint32_t insn)
{
	uint32_t nr, instance = 0;
	const struct code_frame *frames = frames_of(a, insn, &nr);
	uint64_t place = 0;
	bool is_new;

	if (!frames)
		return NULL;
	for (uint32_t i = nr; i--;) {
		instance = instance_at(a, instance, place, frames[i].function);
		place = place_of(&frames[i]);
	}
	uint32_t *at = table_put(&a->by_place, instance, place, &is_new);

	if (is_new) {
		*at = (uint32_t)a->nr_lines;
		ALLOC_GROW(a->lines, a->nr_lines, a->lines_alloc);
		a->lines[a->nr_lines++] =
			(struct profile_line){.instance = instance, .place = place};
	}
	return &a->lines[*at];
}

static void add_count(struct autofdo *a, uint32_t insn, uint64_t count)
{
	struct profile_line *line = line_of(a, insn);
	uint32_t nr;

	add_capped(line ? &a->placed : &a->without_place, count);
	if (!line || __builtin_mul_overflow(count, copies_of(frames_of(a, insn, &nr)), &count))
		return;
	line->count = count > line->count ? count : line->count;
	if (a->c->has_branches &&
		__builtin_mul_overflow(count, a->c->code->insns[insn].size, &count))
		return;
	add_capped(&a->instances[line->instance].total, count);
}

/*
 * Adds the instructions of F, if it has run. With branches, it is known that the others have not.
 */
static void add_function(struct autofdo *a, const struct code_function *f, const uint64_t *counts)
{
	bool has_run = false;

	for (uint32_t i = f->first; i < f->first + f->nr; i++)
		has_run |= counts[i] > 0;
	for (uint32_t i = f->first; has_run && i < f->first + f->nr; i++)
		if (counts[i] || a->c->has_branches)
			add_count(a, i, counts[i]);
}

/* ---- branches ---- */

/* Returns how often each instruction has run between two branches. The caller frees the array. */
static uint64_t *count_runs(const struct export_code *c)
{
	uint32_t nr = c->code->header.nr_insns;
	uint64_t *counts = xcalloc((size_t)nr + 1, sizeof(*counts));
	struct insn_run run;

	/* first how much more often it has run than the instruction before it */
	for (size_t i = 0; i < c->rec->nr_branches; i++) {
		const struct rec_branch *branch = &c->rec->branches[i];

		if (!export_code_shows(c, branch) || !export_code_run(c, branch, &run))
			continue;
		counts[run.first] += branch->count;
		counts[run.last + 1] -= branch->count;
	}
	for (uint32_t i = 1; i < nr; i++)
		counts[i] += counts[i - 1];
	return counts;
}

/* Returns the function that INSN is in, as it is not inlined, or 0 if it is not known. */
static uint32_t function_of(const struct autofdo *a, uint32_t insn)
{
	uint32_t nr;
	const struct code_frame *frames = frames_of(a, insn, &nr);

	return frames ? frames[nr - 1].function : 0;
}

/*
 * Returns the function that a branch to INSN from SOURCE (may be NO_CODE) calls, or 0 if it is no
 * call. A part of a function that the compiler has moved elsewhere begins like a function.
 */
static uint32_t called_at(const struct autofdo *a, uint32_t insn, uint32_t source)
{
	const struct code_function *f;
	uint32_t called;

	if (insn == NO_CODE)
		return 0;
	f = export_code_function(a->c, insn);
	called = insn == f->first ? function_of(a, insn) : 0;
	if (source != NO_CODE && export_code_function(a->c, source) != f &&
		function_of(a, source) == called)
		return 0;
	return called;
}

static void add_target(struct autofdo *a, uint32_t insn, uint32_t function, uint64_t count)
{
	struct profile_line *line = line_of(a, insn);
	bool is_new;

	if (!line)
		return;
	uint32_t number = (uint32_t)(line - a->lines),
		 *at = table_put(&a->by_target, number, function, &is_new);

	if (is_new) {
		*at = (uint32_t)a->nr_targets;
		ALLOC_GROW(a->targets, a->nr_targets, a->targets_alloc);
		a->targets[a->nr_targets++] =
			(struct call_target){.line = number, .function = function};
	}
	add_capped(&a->targets[*at].count, count);
}

static void add_calls(struct autofdo *a)
{
	const struct recording *rec = a->c->rec;

	for (size_t i = 0; i < rec->nr_branches; i++) {
		const struct rec_branch *branch = &rec->branches[i];

		if (!export_code_shows(a->c, branch))
			continue;
		uint32_t source = export_code_insn(a->c, branch->source),
			 called = called_at(a, export_code_insn(a->c, branch->target), source);

		if (!called)
			continue;
		uint32_t instance = instance_at(a, 0, 0, called); /* this may move the list */

		add_capped(&a->instances[instance].head, branch->count);
		if (source != NO_CODE)
			add_target(a, source, called, branch->count);
	}
}

/* ---- order ---- */

static int compare_names(const struct autofdo *w, uint32_t a, uint32_t b)
{
	return strpool_compare(&w->c->code->strings, a, b);
}

/* The functions that are not inlined are in the order of their totals. */
static int compare_instances(const void *va, const void *vb, void *arg)
{
	const struct autofdo *w = arg;
	const struct code_instance *a = &w->instances[*(const uint32_t *)va],
				   *b = &w->instances[*(const uint32_t *)vb];

	if (!a->caller && !b->caller && a->total != b->total)
		return compare_u64(b->total, a->total);
	if (a->place != b->place)
		return compare_u64(a->place, b->place);
	return compare_names(w, a->function, b->function);
}

static int compare_lines(const void *va, const void *vb, void *arg)
{
	const struct profile_line *lines = ((const struct autofdo *)arg)->lines;

	return compare_u64(lines[*(const uint32_t *)va].place, lines[*(const uint32_t *)vb].place);
}

/* The most frequent one comes first. */
static int compare_targets(const void *va, const void *vb, void *arg)
{
	const struct autofdo *w = arg;
	const struct call_target *a = &w->targets[*(const uint32_t *)va],
				 *b = &w->targets[*(const uint32_t *)vb];

	if (a->count != b->count)
		return compare_u64(b->count, a->count);
	return compare_names(w, a->function, b->function);
}

/* Returns the numbers from 0 to NR - 1, sorted. The caller frees them. */
static uint32_t *sort(
	struct autofdo *a, size_t nr, int (*compare)(const void *, const void *, void *))
{
	uint32_t *list = xcalloc(nr, sizeof(*list));

	for (size_t i = 0; i < nr; i++)
		list[i] = (uint32_t)i;
	if (nr)
		qsort_r(list, nr, sizeof(*list), compare, a);
	return list;
}

/* Links what belongs together, in its order, by going through the sorted numbers backwards. */
static void link_all(struct autofdo *a)
{
	uint32_t *lines = sort(a, a->nr_lines, compare_lines),
		 *targets = sort(a, a->nr_targets, compare_targets),
		 *instances = sort(a, a->nr_instances, compare_instances);

	for (size_t i = a->nr_targets; i--;) {
		struct call_target *t = &a->targets[targets[i]];

		t->next = a->lines[t->line].targets;
		a->lines[t->line].targets = targets[i] + 1;
	}
	for (size_t i = a->nr_lines; i--;) {
		struct profile_line *l = &a->lines[lines[i]];

		l->next = a->instances[l->instance].lines;
		a->instances[l->instance].lines = lines[i] + 1;
	}
	for (size_t i = a->nr_instances; i--;) {
		struct code_instance *in = &a->instances[instances[i]];

		if (!instances[i])
			continue;
		in->next = a->instances[in->caller].calls;
		a->instances[in->caller].calls = instances[i];
	}
	free(lines);
	free(targets);
	free(instances);
}

/* Adds each inlined call's total to its caller's, which has a lower number. */
static void add_up(struct autofdo *a)
{
	for (size_t i = a->nr_instances; i-- > 1;)
		add_capped(&a->instances[a->instances[i].caller].total, a->instances[i].total);
}

/* ---- output ---- */

static const char *name_of(const struct autofdo *a, uint32_t function)
{
	return strpool_get(&a->c->code->strings, function);
}

static void write_place(const struct autofdo *a, unsigned depth, uint64_t place)
{
	fprintf(a->out, "%*s%" PRIu64, (int)depth, "", place >> 32);
	if (place & UINT32_MAX)
		fprintf(a->out, ".%" PRIu64, place & UINT32_MAX);
	fputs(": ", a->out);
}

static void write_line(const struct autofdo *a, unsigned depth, const struct profile_line *line)
{
	write_place(a, depth, line->place);
	fprintf(a->out, "%" PRIu64, line->count);
	for (uint32_t i = line->targets; i; i = a->targets[i - 1].next)
		fprintf(a->out, " %s:%" PRIu64, name_of(a, a->targets[i - 1].function),
			a->targets[i - 1].count);
	fputc('\n', a->out);
}

/* Writes the lines and inlined calls of an instance, DEPTH levels inside of its function. */
static void write_body(const struct autofdo *a, unsigned depth, const struct code_instance *in)
{
	for (uint32_t i = in->lines; i; i = a->lines[i - 1].next)
		write_line(a, depth, &a->lines[i - 1]);
	for (uint32_t i = in->calls; i; i = a->instances[i].next) {
		const struct code_instance *call = &a->instances[i];

		write_place(a, depth, call->place);
		fprintf(a->out, "%s:%" PRIu64 "\n", name_of(a, call->function), call->total);
		write_body(a, depth + 1, call);
	}
}

static void write_functions(const struct autofdo *a)
{
	for (uint32_t i = a->instances[0].calls; i; i = a->instances[i].next) {
		const struct code_instance *in = &a->instances[i];

		fprintf(a->out, "%s:%" PRIu64 ":%" PRIu64 "\n", name_of(a, in->function), in->total,
			in->head);
		write_body(a, 1, in);
	}
}

static void note_missing(const struct autofdo *a, struct strbuf *notes)
{
	double all = (double)a->placed + (double)a->without_place;

	if (a->without_place)
		strbuf_addf(notes,
			"%.1f %% of it has no source lines, which clang -g "
			"-fdebug-info-for-profiling gives, and is left out\n",
			100 * (double)a->without_place / all);
}

int export_autofdo(const struct export_code *c, FILE *out, struct strbuf *notes)
{
	uint64_t *counts = c->has_branches ? count_runs(c) : export_code_samples(c);
	struct autofdo a = {.c = c, .out = out};

	table_init(&a.by_call);
	table_init(&a.by_place);
	table_init(&a.by_target);
	ALLOC_GROW(a.instances, a.nr_instances, a.instances_alloc);
	a.instances[a.nr_instances++] = (struct code_instance){0};
	for (uint32_t i = 0; i < c->code->header.nr_functions; i++)
		add_function(&a, &c->code->functions[i], counts);
	add_calls(&a);
	add_up(&a);
	link_all(&a);
	write_functions(&a);
	note_missing(&a, notes);
	table_release(&a.by_call);
	table_release(&a.by_place);
	table_release(&a.by_target);
	free(a.instances);
	free(a.lines);
	free(a.targets);
	free(counts);
	return a.nr_instances == 1;
}
