/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame_data.h"
#include "input/notes.h"
#include "input/picture.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/format/xml.h"
#include "model/waits.h"
#include "view/diff/diff.h"
#include "view/preorder.h"
#include "view/report/categories.h"
#include "view/report/outliers.h"
#include "view/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the tree in one element, because XML readers limit the length of a text. */
enum { PART = 1 << 20 };

/* Times that differ from the rest cost memory for each function; with more frames, they are not
 * searched for. */
enum { OUTLIER_FRAMES = 20000 };

struct flame_class flame_class(const struct profile *p, uint32_t frame)
{
	size_t len;
	const char *name = profile_name(p, frame, &len);
	enum frame_kind kind = p->frames[frame].kind;
	bool is_pale = kind == FRAME_USER && frame_is_unnamed(p, frame);
	unsigned shade = is_pale ? FLAME_PALE : hash_bytes(name, len) % FLAME_SHADES;

	return (struct flame_class){{picture_kind_letter(kind), (char)('0' + shade), '\0'}};
}

struct flame_class flame_step_class(int step)
{
	return (struct flame_class){{'d', (char)('0' + step), '\0'}};
}

struct flame_class flame_state_class(const char *note, size_t len)
{
	int state = wait_number(note, len);

	if (state < 0)
		state = (int)strlen(wait_letters);
	return (struct flame_class){{'s', 't', (char)('0' + state), '\0'}};
}

unsigned flame_scale_shift(const struct flame_data *data)
{
	unsigned __int128 total = data->p->nodes[0].total;
	unsigned shift = 0;

	if (data->diff)
		total = (unsigned __int128)data->diff->scale.total.before +
			data->diff->scale.total.after;
	while (total >> shift > UINT64_C(1) << 53)
		shift++;
	return shift;
}

/* Numbers the frames in the file. Frequent frames come first, so that their numbers are short. */
struct numbering {
	struct numbered {
		uint32_t frame, count;
	} * list;
	uint32_t nr;
	uint32_t *number; /* for each frame in the profile */
};

static int compare_numbered(const void *va, const void *vb, void *p)
{
	const struct numbered *a = va, *b = vb;

	if (a->count != b->count)
		return (a->count < b->count) - (a->count > b->count);
	return profile_compare_frames(p, a->frame, b->frame);
}

static void numbering_init(struct numbering *n, const struct profile *p)
{
	n->list = xcalloc(p->nr_frames, sizeof(*n->list));
	n->number = xcalloc(p->nr_frames, sizeof(*n->number));
	for (uint32_t i = 0; i < p->nr_frames; i++)
		n->list[i].frame = i;
	for (uint32_t i = 1; i < p->nr_nodes; i++)
		n->list[p->nodes[i].frame].count++;
	qsort_r(n->list, p->nr_frames, sizeof(*n->list), compare_numbered, (void *)p);
	for (n->nr = 0; n->nr < p->nr_frames && n->list[n->nr].count; n->nr++)
		n->number[n->list[n->nr].frame] = n->nr;
}

static void numbering_release(struct numbering *n)
{
	free(n->list);
	free(n->number);
}

static void write_categories(const struct categories *c, FILE *out)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "<ft:categories>");
	for (uint32_t i = 0; i < c->nr_ranks; i++) {
		const char *name = category_name(c, i);

		xml_text(&text, name, strlen(name));
		strbuf_addch(&text, '\n');
	}
	strbuf_adds(&text, "</ft:categories>\n");
	strbuf_flush(&text, out);
	strbuf_release(&text);
}

static void add_ranks(struct strbuf *out, const struct categories *c, uint32_t frame)
{
	const struct frame_ranks *ranks = &c->frames[frame];

	strbuf_addch(out, ',');
	strbuf_addu(out, ranks->own);
	if (ranks->passed < c->nr_ranks) {
		strbuf_addch(out, ',');
		strbuf_addu(out, ranks->passed);
	}
}

/* Appends the name of a frame. It ends in its source line if source lines are shown (symbol.h). */
static void add_name(struct strbuf *out, const struct profile *p, uint32_t frame)
{
	size_t len, all;
	const char *name = profile_name(p, frame, &all);

	rules_function(p, frame, &len);
	strbuf_addch(out, ' ');
	xml_text(out, name, len);
	if (len < all) {
		strbuf_addch(out, '\t');
		xml_text(out, name + len + 1, all - len - 1);
	}
	strbuf_addch(out, '\n');
}

static void write_names(
	const struct numbering *n, const struct profile *p, const struct categories *c, FILE *out)
{
	struct strbuf modules = STRBUF_INIT, frames = STRBUF_INIT;
	uint32_t *module_number = xcalloc((size_t)p->names.nr + 1, sizeof(*module_number));
	uint32_t nr = 0;

	for (uint32_t i = 0; i < n->nr; i++) {
		uint32_t frame = n->list[i].frame, module = p->frames[frame].module;

		if (module && !module_number[module]) {
			module_number[module] = ++nr;
			xml_text(&modules, strpool_get(&p->names, module),
				strpool_len(&p->names, module));
			strbuf_addch(&modules, '\n');
		}
		strbuf_adds(&frames, flame_class(p, frame).s);
		if (module)
			strbuf_addu(&frames, module_number[module]);
		add_ranks(&frames, c, frame);
		add_name(&frames, p, frame);
	}
	fputs("<ft:modules>", out);
	strbuf_flush(&modules, out);
	fputs("</ft:modules>\n", out);
	write_categories(c, out);
	fputs("<ft:frames>", out);
	strbuf_flush(&frames, out);
	fputs("</ft:frames>\n", out);
	strbuf_release(&modules);
	strbuf_release(&frames);
	free(module_number);
}

/* Writes where frames were executed, and the files there. */
static void write_lines(const struct numbering *n, const struct profile *p, FILE *out)
{
	struct strbuf files = STRBUF_INIT, lines = STRBUF_INIT;
	uint32_t *file_number = xcalloc((size_t)p->names.nr + 1, sizeof(*file_number)), nr = 0;

	for (uint32_t i = 0; i < n->nr; i++) {
		const struct frame *f = &p->frames[n->list[i].frame];

		if (!f->file || !f->first_line)
			continue;
		if (!file_number[f->file]) {
			file_number[f->file] = ++nr;
			xml_text(&files, strpool_get(&p->names, f->file),
				strpool_len(&p->names, f->file));
			strbuf_addch(&files, '\n');
		}
		strbuf_addf(&lines, "%" PRIu32 ",%" PRIu32 ",%" PRIu32, i, file_number[f->file],
			f->first_line);
		if (f->last_line > f->first_line)
			strbuf_addf(&lines, ",%" PRIu32, f->last_line);
		strbuf_addch(&lines, '\n');
	}
	if (nr)
		fprintf(out, "<ft:files>%s</ft:files>\n<ft:lines>%s</ft:lines>\n", files.buf,
			lines.buf);
	strbuf_release(&files);
	strbuf_release(&lines);
	free(file_number);
}

static char *put_number(char *at, uint64_t value)
{
	while (value >= PICTURE_LAST) {
		value -= PICTURE_LAST;
		*at++ = picture_digits[PICTURE_LAST + value % PICTURE_MORE];
		value /= PICTURE_MORE;
	}
	*at++ = picture_digits[value];
	return at;
}

/* Self weights in units of the scale. */
struct scaler {
	const struct flame_data *data;
	unsigned shift;
	struct diff_pair left; /* unscaled sums of the previous nodes */
};

static uint64_t scale_next(uint64_t *left, uint64_t self, unsigned shift)
{
	uint64_t start = *left >> shift;

	add_capped(left, self);
	return (*left >> shift) - start;
}

/*
 * Returns the scaled self weights of NODE, which must be the next node in pre-order. Without diff,
 * all weight is in after.
 */
static struct diff_pair scaled_self(struct scaler *s, uint32_t node)
{
	const struct diff *diff = s->data->diff;
	struct diff_pair self = {0, s->data->p->nodes[node].self};

	if (diff)
		self = diff->self[node];
	return (struct diff_pair){
		.before = scale_next(&s->left.before, self.before, s->shift),
		.after = scale_next(&s->left.after, self.after, s->shift),
	};
}

static void write_tree(struct scaler *scaler, const struct numbering *n, FILE *out)
{
	const struct flame_data *data = scaler->data;
	struct strbuf text = STRBUF_INIT;
	struct preorder w = preorder_begin(data->p);
	uint32_t before = 0;

	fputs("<ft:tree><ft:t>", out);
	while (preorder_next(&w)) {
		char digits[64], *at = digits;
		struct diff_pair self = scaled_self(scaler, w.node);
		uint64_t both = self.before + self.after;

		at = put_number(at, n->number[data->p->nodes[w.node].frame]);
		at = put_number(at, 2 * (uint64_t)(before + 1 - w.depth) + (both != 0));
		if (both)
			at = put_number(at, both - 1);
		if (both && data->diff)
			at = put_number(at, self.before);
		strbuf_add(&text, digits, (size_t)(at - digits));
		before = w.depth;
		if (text.len >= PART) {
			strbuf_flush(&text, out);
			fputs("</ft:t><ft:t>", out);
		}
	}
	strbuf_flush(&text, out);
	fputs("</ft:t></ft:tree>\n", out);
	strbuf_release(&text);
}

/* ---- times ---- */

/* Columns of the picture's time axis, each of which is one slice or several. */
struct time_columns {
	const struct profile_times *times;
	uint32_t merged; /* slices of a column */
	uint32_t nr;     /* columns, or 0 if the picture has no times */
	/* Weights of a node by column, from 1; column 0 is for what is not known. */
	uint64_t weight[PICTURE_COLUMNS + 1];
};

static void columns_init(struct time_columns *c, const struct scaler *scaler)
{
	const struct profile_times *times = &scaler->data->p->times;

	*c = (struct time_columns){.times = times};
	if (times->nr < 2 || scaler->data->diff || scaler->shift)
		return;
	c->merged = (times->nr + PICTURE_COLUMNS - 1) / PICTURE_COLUMNS;
	c->nr = (times->nr + c->merged - 1) / c->merged;
}

/* Sets the weights of a node with weight SELF. Returns its last column. */
static uint32_t add_up_columns(struct time_columns *c, uint32_t series, uint64_t self)
{
	struct series_reader r = series_read(&c->times->series, series);
	uint32_t last = 0;

	while (self && series_next(&r))
		for (uint32_t i = 0; i <= r.item.more && self; i++) {
			uint32_t column = (r.item.slice + i - 1) / c->merged + 1;
			uint64_t sum = r.item.sum < self ? r.item.sum : self;

			c->weight[column] += sum;
			self -= sum;
			last = column > last ? column : last;
		}
	c->weight[0] = self;
	return last;
}

/* Appends the columns of a node with weight SELF, and clears them. */
static void add_node_times(
	struct strbuf *out, struct time_columns *c, uint32_t series, uint64_t self)
{
	uint32_t last = add_up_columns(c, series, self), next = 0;

	for (uint32_t column = 0; column <= last; column++) {
		char digits[64], *at = digits;

		if (!c->weight[column])
			continue;
		at = put_number(at, column - next);
		if (self > 1)
			at = put_number(at, c->weight[column] - 1);
		strbuf_add(out, digits, (size_t)(at - digits));
		self -= c->weight[column];
		c->weight[column] = 0;
		next = column + 1;
	}
}

static void write_times(const struct scaler *scaler, FILE *out)
{
	const struct profile *p = scaler->data->p;
	struct time_columns c;

	struct preorder w = preorder_begin(p);
	struct strbuf text = STRBUF_INIT;

	columns_init(&c, scaler);
	if (!c.nr)
		return;
	strbuf_addf(&text,
		"<ft:times columns=\"%" PRIu32 "\" length=\"%" PRIu64 "\" begin=\"%" PRIu64
		"\"><ft:c>",
		c.nr, c.merged * c.times->slice_ns, c.times->begin_ns);
	while (preorder_next(&w)) {
		add_node_times(&text, &c, profile_times_of(c.times, w.node), p->nodes[w.node].self);
		if (text.len >= PART) {
			strbuf_flush(&text, out);
			fputs("</ft:c><ft:c>", out);
		}
	}
	strbuf_adds(&text, "</ft:c></ft:times>\n");
	strbuf_flush(&text, out);
	strbuf_release(&text);
}

/*
 * Writes the times that differ from the rest, each as its first column from 0, the column behind
 * its last one, the number of a frame or nothing for all frames, and its weight and what is usual.
 */
static void write_outliers(const struct scaler *scaler, const struct numbering *n, FILE *out)
{
	const struct profile *p = scaler->data->p;
	struct strbuf text = STRBUF_INIT;
	struct time_columns c;
	struct outlier_list l = {0};

	_Static_assert(
		(int)PICTURE_COLUMNS == (int)OUTLIERS_COLUMNS_MAX, "they have the same columns");
	columns_init(&c, scaler);
	if (c.nr && p->nr_frames <= OUTLIER_FRAMES)
		outliers_find(&l, p);
	for (size_t i = 0; i < l.nr; i++) {
		const struct outlier *o = &l.list[i];

		if (i && o->first == o[-1].first) /* the heaviest function comes first */
			continue;
		strbuf_addf(&text, "%" PRIu32 ",%" PRIu32 ",", o->first, o->end);
		if (o->frame)
			strbuf_addu(&text, n->number[o->frame]);
		strbuf_addf(&text, ",%" PRIu64 ",%" PRIu64 "\n", o->weight, o->usual);
	}
	if (l.nr)
		fprintf(out, "<ft:outliers>%s</ft:outliers>\n", text.buf);
	strbuf_release(&text);
	outlier_list_release(&l);
}

/* ---- all ---- */

static void add_attribute(struct strbuf *out, const char *name, uint64_t value)
{
	strbuf_addf(out, " %s=\"%" PRIu64 "\"", name, value);
}

static void add_diff(struct strbuf *out, const struct diff_scale *scale, unsigned shift)
{
	uint64_t before = scale->total.before >> shift << shift;
	uint64_t after = scale->total.after >> shift << shift, total = before;

	add_capped(&total, after);
	add_attribute(out, "total", total);
	add_attribute(out, "before", before);
	add_attribute(out, "after", after);
	if (scale->normalized)
		add_attribute(out, "normalized", 1);
}

static void add_text(struct strbuf *out, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	strbuf_addf(out, " %s=\"", name);
	xml_text(out, value, strlen(value));
	strbuf_addch(out, '"');
}

/* Adds what was recorded, for programs that read the file. */
static void add_origin(struct strbuf *out, const struct profile *p)
{
	const struct timing *t = &p->timing;

	add_text(out, "target", p->origin.target);
	add_text(out, "host", p->origin.host);
	add_text(out, "engine", p->origin.engine);
	if (t->started)
		add_attribute(out, "started", t->started);
	if (t->duration)
		add_attribute(out, "duration", t->duration);
	if (t->cpus)
		add_attribute(out, "cpus", t->cpus);
}

/* Letter and word of each kind. */
static void add_kinds(struct strbuf *out)
{
	for (int kind = 0; kind < FRAME_KINDS; kind++)
		strbuf_addf(out, "%s%c %s", kind ? " " : "",
			picture_kind_letter((enum frame_kind)kind),
			frame_kind_word((enum frame_kind)kind));
}

static void write_head(struct scaler *scaler, FILE *out)
{
	const struct flame_data *data = scaler->data;
	struct strbuf head = STRBUF_INIT;
	struct diff_pair self = scaled_self(scaler, 0);
	const char *unit = data->p->unit;

	strbuf_adds(&head, "<ft:profile xmlns:ft=\"urn:flametap:profile\" version=\"2\" unit=\"");
	xml_text(&head, unit, strlen(unit));
	strbuf_addch(&head, '"');
	if (data->shown && strcmp(data->shown, unit)) {
		strbuf_adds(&head, " shown=\"");
		xml_text(&head, data->shown, strlen(data->shown));
		strbuf_addch(&head, '"');
	}
	if (data->diff)
		add_diff(&head, &data->diff->scale, scaler->shift);
	else
		add_attribute(&head, "total", data->p->nodes[0].total);
	add_attribute(&head, "scale", UINT64_C(1) << scaler->shift);
	add_attribute(&head, "nodes", data->p->nr_nodes - 1);
	if (self.before || self.after)
		add_attribute(&head, "self", self.before + self.after);
	if (data->diff && (self.before || self.after))
		add_attribute(&head, "self_before", self.before);
	if (data->factor != 1)
		strbuf_addf(&head, " factor=\"%.17g\"", data->factor);
	if (data->p->reversed)
		strbuf_adds(&head, " reversed=\"1\"");
	if (!data->diff)
		add_origin(&head, data->p);
	strbuf_addf(&head, " inverted=\"%d\" kinds=\"", data->inverted);
	add_kinds(&head);
	strbuf_adds(&head, "\">\n");
	strbuf_flush(&head, out);
	strbuf_release(&head);
}

void flame_data_write(const struct flame_data *data, FILE *out)
{
	struct scaler scaler = {.data = data, .shift = flame_scale_shift(data)};
	struct numbering n;

	write_head(&scaler, out);
	numbering_init(&n, data->p);
	write_names(&n, data->p, data->categories, out);
	write_lines(&n, data->p, out);
	write_tree(&scaler, &n, out);
	write_times(&scaler, out);
	write_outliers(&scaler, &n, out);
	fputs("</ft:profile>\n", out);
	numbering_release(&n);
}
