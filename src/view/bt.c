/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording in the format of stap scripts. Existing parsers split a frame at its last "+".
 * Therefore every frame has an offset, unnamed frames are named after their module, and bytes that
 * would break the format are escaped as in folded lines.
 */
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "lib/word.h"
#include "symbol/names/demangle_profile.h"
#include "symbol/names/demangler.h"
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct texts {
	const struct recording *rec;
	const struct recording_view *view;
	struct demangler names;
	uint32_t *shown;     /* for each rec_name, its number in names */
	struct strpool pool; /* a block of text for each different stack */
	uint64_t *sums;      /* sum of each block */
	size_t alloc;
	struct strbuf block, note;
	bool states;               /* add the state of each row */
	struct table combinations; /* maps the four stacks of a row to a number */
	struct table blocks;       /* maps this number, task and labels, if shown, to a block */
};

/*
 * Appends a path. The bytes ESCAPED are also written as \xHH, because there must be no "+" after
 * the offset.
 */
static void add_path(struct texts *t, const char *s, const char *escaped)
{
	while (*s) {
		size_t n = strcspn(s, escaped);

		folded_name_add(&t->block, s, n);
		s += n;
		if (*s)
			strbuf_addf(&t->block, "\\x%02x", (unsigned char)*s++);
	}
}

/*
 * Appends " [MODULE]". Kernel modules already have brackets; brackets in other paths are escaped.
 */
static void add_module(struct texts *t, uint32_t module)
{
	const char *s = recording_get(t->rec, module);

	if (!*s)
		return;
	strbuf_adds(&t->block, *s == '[' ? " " : " [");
	add_path(t, s, *s == '[' ? "+" : "+[]");
	if (*s != '[')
		strbuf_addch(&t->block, ']');
}

/*
 * Appends " at FILE:LINE". Brackets, which could be taken for the brackets of the module, are
 * escaped.
 */
static void add_source(struct texts *t, const struct rec_name *n)
{
	if (!t->view->lines || !n->file || !n->line)
		return;
	strbuf_adds(&t->block, " at ");
	add_path(t, recording_get(t->rec, n->file), "+[]");
	strbuf_addf(&t->block, ":%" PRIu32, n->line);
}

static void add_function(struct texts *t, uint32_t name)
{
	const char *s = recording_get(t->rec, t->rec->names[name].function);
	size_t len = strpool_len(&t->rec->strings, t->rec->names[name].function);

	if (t->shown[name])
		s = demangler_get(&t->names, t->shown[name], &len);
	folded_name_add(&t->block, s, len);
}

static void begin_frame(struct texts *t, const struct rec_frame *f)
{
	uint64_t address = f->addr;

	strbuf_addch(&t->block, ' ');
	if (f->place == AT_NAME)
		return;
	if (f->place == AT_MAP)
		address += t->rec->maps[f->map].start;
	strbuf_addf(&t->block, "0x%" PRIx64 " : ", address);
}

static void add_offset(struct texts *t, uint64_t offset)
{
	strbuf_addf(&t->block, "+0x%" PRIx64, offset);
}

/* Returns the distance of the frame from the start of its function. */
static uint64_t offset_in_function(const struct rec_map *map, const struct rec_frame *f)
{
	uint64_t at = map->link + f->addr;

	return map->has_link && at > f->start ? at - f->start : 0;
}

static void add_unnamed(struct texts *t, const struct rec_frame *f)
{
	const struct rec_map *map = f->place == AT_MAP ? &t->rec->maps[f->map] : NULL;
	uint32_t path = map ? map->path : 0;
	uint64_t offset = map ? f->addr : 0;
	struct strbuf name = STRBUF_INIT;

	recording_add_unnamed(t->rec, f, &name);
	if (map && f->start)
		offset = offset_in_function(map, f);
	begin_frame(t, f);
	folded_name_add(&t->block, name.buf, name.len);
	add_offset(t, offset);
	add_module(t, path);
	strbuf_addch(&t->block, '\n');
	strbuf_release(&name);
}

/* The functions that are inlined in F come after their caller if the stack is UPSIDE_DOWN. */
static void add_frame(struct texts *t, const struct rec_frame *f, bool upside_down)
{
	if (!f->nr_names)
		add_unnamed(t, f);
	for (uint32_t i = 0; i < f->nr_names; i++) {
		uint32_t name = f->names + (upside_down ? f->nr_names - 1 - i : i);
		const struct rec_name *n = &t->rec->names[name];

		begin_frame(t, f);
		add_function(t, name);
		add_offset(t, n->offset);
		add_source(t, n);
		add_module(
			t, n->module || f->place != AT_MAP ? n->module : t->rec->maps[f->map].path);
		strbuf_addch(&t->block, '\n');
	}
}

static void add_note(struct texts *t)
{
	if (!t->note.len)
		return;
	strbuf_addch(&t->block, ' ');
	folded_name_add(&t->block, t->note.buf, t->note.len);
	strbuf_adds(&t->block, "+0x0\n");
}

static void add_state(struct texts *t, const struct rec_row *row)
{
	strbuf_reset(&t->note);
	recording_add_state(t->rec, row, &t->note);
	add_note(t);
}

static void add_stack(struct texts *t, const struct rec_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr; i++)
		add_frame(t, &t->rec->frames[t->rec->frame_refs[stack->first + i]],
			stack->kind == STACK_WAKER);
	strbuf_reset(&t->note);
	recording_add_end(t->rec, stack, &t->note);
	add_note(t);
}

static void add_task(struct texts *t, const struct rec_task *task)
{
	const char *comm = recording_get(t->rec, task->comm);

	if (!t->view->comm && !t->view->threads)
		return;
	strbuf_addch(&t->block, ' ');
	if (*comm)
		folded_name_add(&t->block, comm, strpool_len(&t->rec->strings, task->comm));
	else
		strbuf_adds(&t->block, "[unknown]");
	if (t->view->threads)
		strbuf_addf(&t->block, "/%" PRIu32, task->tid);
	strbuf_adds(&t->block, "+0x0\n");
}

static void add_by(struct texts *t, const struct rec_row *row)
{
	size_t len;
	const char *value = recording_label(t->rec, row, t->view->by, &len);

	strbuf_reset(&t->note);
	strbuf_add(&t->note, value, len);
	if (!len)
		recording_add_no_label(t->view->by, &t->note);
	add_note(t);
}

static uint32_t make_block(struct texts *t, const struct rec_row *row)
{
	strbuf_reset(&t->block);
	if (t->states)
		add_state(t, row);

	size_t before = t->block.len;

	for (size_t k = ARRAY_LEN(stack_order); k--;) /* leaf first */
		for (int i = ROW_STACKS; i--;)
			if (row->stacks[i] != NO_STACK &&
				t->rec->stacks[row->stacks[i]].kind == stack_order[k])
				add_stack(t, &t->rec->stacks[row->stacks[i]]);
	if (t->block.len == before)
		strbuf_adds(&t->block, " [no stack]+0x0\n");
	add_task(t, &t->rec->tasks[row->task]);
	if (t->view->by)
		add_by(t, row);
	return strpool_add(&t->pool, t->block.buf, t->block.len);
}

/* Returns the block of a row. Rows that differ only in parts that are not shown share a block. */
static uint32_t block_of(struct texts *t, const struct rec_row *row)
{
	const uint32_t *s = row->stacks;
	bool is_new;
	uint32_t *stacks = table_put(&t->combinations, (uint64_t)s[0] << 32 | s[1],
		(uint64_t)s[2] << 32 | s[3], &is_new);

	if (is_new)
		*stacks = (uint32_t)t->combinations.nr;
	uint64_t task = t->view->comm || t->view->threads ? row->task : 0;
	uint32_t labels = t->states || t->view->by ? row->labels : 0;
	uint32_t *block = table_put(&t->blocks, *stacks, task << 32 | labels, &is_new);

	if (is_new)
		*block = make_block(t, row);
	return *block;
}

static void add_row(struct texts *t, const struct rec_row *row)
{
	uint32_t id = block_of(t, row);

	while (id >= t->alloc) {
		size_t alloc = t->alloc ? t->alloc * 2 : 64;

		t->sums = xrealloc(t->sums, alloc, sizeof(*t->sums));
		memset(t->sums + t->alloc, 0, (alloc - t->alloc) * sizeof(*t->sums));
		t->alloc = alloc;
	}
	add_capped(&t->sums[id], row->sum);
}

static int compare_blocks(const void *va, const void *vb, void *arg)
{
	const struct texts *t = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	int c = (t->sums[a] < t->sums[b]) - (t->sums[a] > t->sums[b]);

	return c ? c : strcmp(strpool_get(&t->pool, a), strpool_get(&t->pool, b));
}

static void write_blocks(const struct texts *t, FILE *out)
{
	uint32_t *order = xcalloc(t->pool.nr, sizeof(*order));

	for (uint32_t i = 1; i < t->pool.nr; i++)
		order[i] = i;
	qsort_r(order + 1, t->pool.nr - 1, sizeof(*order), compare_blocks, (void *)t);
	for (uint32_t i = 1; i < t->pool.nr; i++) {
		fwrite(strpool_get(&t->pool, order[i]), 1, strpool_len(&t->pool, order[i]), out);
		fprintf(out, "\t%" PRIu64 "\n", t->sums[order[i]]);
	}
	free(order);
}

int view_bt(const struct recording *rec, const struct recording_view *view, enum demangle how,
	FILE *out, struct strbuf *err)
{
	struct texts t = {
		.rec = rec,
		.view = view,
		.block = STRBUF_INIT,
		.note = STRBUF_INIT,
		.states = recording_mixes_states(rec, view),
	};

	demangler_init(&t.names, how);
	t.shown = demangler_add_recording(&t.names, rec);
	strpool_init(&t.pool);
	table_init(&t.combinations);
	table_init(&t.blocks);
	for (size_t i = 0; i < rec->nr_rows; i++)
		if (recording_shows(rec, view, &rec->rows[i]) && rec->rows[i].sum)
			add_row(&t, &rec->rows[i]);
	write_blocks(&t, out);
	strpool_release(&t.pool);
	table_release(&t.combinations);
	table_release(&t.blocks);
	demangler_release(&t.names);
	strbuf_release(&t.block);
	strbuf_release(&t.note);
	free(t.shown);
	free(t.sums);
	return written(out, err);
}
