/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export_code.h"
#include "lib/similar.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "lib/word.h"
#include "view/function_match.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file that has samples or, if there are branches, sources of branches. */
struct export_file {
	uint32_t path, build_id; /* strings of the recording */
	uint64_t weight;
};

struct export_files {
	const struct export_code *c;
	struct export_file *list;
	size_t nr, alloc;
	struct table by_file; /* path, build-id -> index */
	uint64_t weight;      /* of all, and of samples that are in no file */
};

/* ---- samples and branches ---- */

bool export_code_shows(const struct export_code *c, const struct rec_branch *branch)
{
	const struct rec_row row = {
		.event = branch->event, .task = branch->task, .labels = branch->labels};

	return recording_shows(c->rec, c->view, &row);
}

/* Returns the frame that a row was sampled at, or NO_FRAME if it was not in user space. */
static uint32_t leaf_of(const struct recording *rec, const struct rec_row *row)
{
	uint32_t leaf = NO_FRAME;

	for (unsigned i = 0; i < ROW_STACKS && row->stacks[i] != NO_STACK; i++) {
		const struct rec_stack *stack = &rec->stacks[row->stacks[i]];

		if (stack->kind == STACK_KERNEL && stack->nr)
			return NO_FRAME;
		if (stack->kind == STACK_USER && stack->nr)
			leaf = rec->frame_refs[stack->first];
	}
	return leaf;
}

static const struct rec_map *map_of(const struct recording *rec, uint32_t frame)
{
	const struct rec_frame *f = frame == NO_FRAME ? NULL : &rec->frames[frame];

	return f && f->kind == FRAME_USER && f->place == AT_MAP ? &rec->maps[f->map] : NULL;
}

/* Whether FRAME is in code of a file, not in memory. */
static bool is_in_file(const struct recording *rec, uint32_t frame)
{
	const struct rec_map *map = map_of(rec, frame);

	return map && (map->build_id || !recording_is_memory(recording_get(rec, map->path)));
}

/* ---- the file ---- */

static void add_weight(struct export_files *m, uint32_t frame, uint64_t weight)
{
	const struct rec_map *map = map_of(m->c->rec, frame);
	bool is_new;

	add_capped(&m->weight, weight);
	if (!is_in_file(m->c->rec, frame))
		return;
	uint32_t *at = table_put(&m->by_file, map->path, map->build_id, &is_new);

	if (is_new) {
		*at = (uint32_t)m->nr;
		ALLOC_GROW(m->list, m->nr, m->alloc);
		m->list[m->nr++] = (struct export_file){map->path, map->build_id, 0};
	}
	add_capped(&m->list[*at].weight, weight);
}

static void weigh(struct export_files *m)
{
	const struct recording *rec = m->c->rec;

	for (size_t i = 0; m->c->has_branches && i < rec->nr_branches; i++)
		if (export_code_shows(m->c, &rec->branches[i]))
			add_weight(m, rec->branches[i].source, rec->branches[i].count);
	for (size_t i = 0; !m->c->has_branches && i < rec->nr_rows; i++)
		if (recording_shows(rec, m->c->view, &rec->rows[i]))
			add_weight(m, leaf_of(rec, &rec->rows[i]), rec->rows[i].count);
}

static const char *name_of(const struct export_files *m, size_t i)
{
	return file_name(recording_get(m->c->rec, m->list[i].path));
}

static bool matches(const struct function_match_list *wanted, const char *name)
{
	for (size_t i = 0; i < wanted->nr; i++)
		if (function_match_name(&wanted->list[i], name, strlen(name)))
			return true;
	return !wanted->nr;
}

static const struct export_file *heaviest(
	const struct export_files *m, struct function_match_list *wanted, struct strbuf *notes)
{
	const struct export_file *best = NULL;

	for (size_t i = 0; i < m->nr; i++)
		for (size_t k = 0; k < wanted->nr; k++)
			function_match_learn(
				&wanted->list[k], name_of(m, i), strlen(name_of(m, i)));
	for (size_t i = 0; i < m->nr; i++)
		if (matches(wanted, name_of(m, i)) && (!best || m->list[i].weight > best->weight))
			best = &m->list[i];
	for (size_t k = 0; !best && m->nr && k < wanted->nr; k++) {
		struct similar similar;

		similar_init(&similar, wanted->list[k].text);
		for (size_t i = 0; i < m->nr; i++)
			similar_try(&similar, name_of(m, i), strlen(name_of(m, i)));
		similar_note(&similar, "module", wanted->list[k].text, notes);
	}
	if (!m->nr)
		strbuf_adds(notes, "no sample is in the code of a file\n");
	return best;
}

static void say_choice(
	const struct export_files *m, const struct export_file *module, struct strbuf *notes)
{
	strbuf_adds(notes, "the profile is of ");
	message_add_path(notes, recording_get(m->c->rec, module->path));
	strbuf_addf(notes, ", which has %.1f %% of the %" PRIu64 " %s%s\n",
		100.0 * (double)module->weight / (double)m->weight, m->weight,
		m->c->has_branches ? "branches" : "samples",
		m->nr > 1 ? "; --module selects another file" : "");
}

/* ---- its code ---- */

static void want(
	const struct export_code *c, const struct export_file *module, bool *wanted, uint32_t frame)
{
	const struct rec_map *map = map_of(c->rec, frame);

	if (map && map->path == module->path && map->build_id == module->build_id)
		wanted[frame] = true;
}

static bool *wanted_frames(const struct export_code *c, const struct export_file *module)
{
	const struct recording *rec = c->rec;
	bool *wanted = xcalloc(rec->nr_frames, sizeof(*wanted));

	for (size_t i = 0; c->has_branches && i < rec->nr_branches; i++) {
		const struct rec_branch *branch = &rec->branches[i];

		if (!export_code_shows(c, branch))
			continue;
		want(c, module, wanted, branch->source);
		want(c, module, wanted, branch->target);
		want(c, module, wanted, branch->last);
	}
	for (size_t i = 0; !c->has_branches && i < rec->nr_rows; i++)
		if (recording_shows(rec, c->view, &rec->rows[i]))
			want(c, module, wanted, leaf_of(rec, &rec->rows[i]));
	return wanted;
}

static void note_left_out(const struct export_code *c, struct strbuf *notes)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < c->code->header.nr_functions; i++)
		nr += c->code->functions[i].gap == CODE_TOO_LARGE;
	if (nr)
		strbuf_addf(
			notes, "functions left out, as there is too much code: %" PRIu32 "\n", nr);
}

static int read_code(struct export_code *c, const struct export_file *module,
	const struct export_code_options *options, struct strbuf *notes)
{
	const struct code_options how = {.symbol = options->symbol, .positions = true};
	bool *wanted = wanted_frames(c, module);

	code_files_read(&c->files, c->rec, wanted, &how, &c->opener, notes);
	free(wanted);
	c->code = c->files.nr ? &c->files.list[0].code : NULL;
	if (c->code && c->files.list[0].why)
		return fail(notes, "%s\n", c->files.list[0].why);
	if (c->code && c->code->header.nr_insns) {
		note_left_out(c, notes);
		return 0;
	}
	message_add_path(notes, recording_get(c->rec, module->path));
	return fail(notes, ": where its functions begin and end is not known\n");
}

static bool has_branches(const struct export_code *c)
{
	for (size_t i = 0; i < c->rec->nr_branches; i++)
		if (export_code_shows(c, &c->rec->branches[i]))
			return true;
	return false;
}

int export_code_init(struct export_code *c, const struct recording *rec,
	const struct export_code_options *options, struct strbuf *notes)
{
	struct export_files m = {.c = c};
	int ret = -1;

	*c = (struct export_code){.rec = rec, .view = options->view};
	opener_init(&c->opener);
	if (recording_has_waits(rec, c->view))
		return fail(notes, "its samples are waits: samples of the CPU are needed\n");
	c->has_branches = has_branches(c);
	table_init(&m.by_file);
	weigh(&m);
	const struct export_file *module = heaviest(&m, options->modules, notes);

	if (module) {
		say_choice(&m, module, notes);
		ret = read_code(c, module, options, notes);
	}
	table_release(&m.by_file);
	free(m.list);
	return ret;
}

void export_code_release(struct export_code *c)
{
	code_files_release(&c->files);
	opener_release(&c->opener);
}

/* ---- instructions ---- */

uint32_t export_code_insn(const struct export_code *c, uint32_t frame)
{
	return frame == NO_FRAME ? NO_CODE : c->files.places[frame].insn;
}

const struct code_function *export_code_function(const struct export_code *c, uint32_t insn)
{
	uint32_t low = 0, high = c->code->header.nr_functions;

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		if (c->code->functions[mid].start <= c->code->insns[insn].address)
			low = mid;
		else
			high = mid;
	}
	return &c->code->functions[low];
}

bool export_code_run(
	const struct export_code *c, const struct rec_branch *branch, struct insn_run *run)
{
	run->first = export_code_insn(c, branch->target);
	run->last = export_code_insn(c, branch->last);
	return run->first != NO_CODE && run->last != NO_CODE && run->first <= run->last &&
	       export_code_function(c, run->first) == export_code_function(c, run->last);
}

uint64_t *export_code_samples(const struct export_code *c)
{
	uint64_t *samples = xcalloc(c->code->header.nr_insns, sizeof(*samples));

	for (size_t i = 0; i < c->rec->nr_rows; i++) {
		const struct rec_row *row = &c->rec->rows[i];

		if (!recording_shows(c->rec, c->view, row))
			continue;
		uint32_t insn = export_code_insn(c, leaf_of(c->rec, row));

		if (insn != NO_CODE)
			add_capped(&samples[insn], row->count);
	}
	return samples;
}
