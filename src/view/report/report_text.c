/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "groups.h"
#include "input/notes.h"
#include "lib/percent.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "model/amount.h"
#include "model/recording.h"
#include "model/waits.h"
#include "report.h"
#include "symbol/names/short_name.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_MIN = 5, PERCENT = 8 }; /* columns of names, "100.00 %" */

struct widths {
	int self, inclusive;          /* columns; self is 0 if there is no such column */
	int counts[COUNTED_MAX];      /* columns of the counts, or 0 */
	int each;                     /* columns of what each of the first counts takes, or 0 */
	size_t keys[REPORT_KEYS_MAX]; /* of keys of groups; the last one is the name */
	size_t name, all;
};

static int digits(uint64_t n)
{
	return snprintf(NULL, 0, "%" PRIu64, n);
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Returns the width of a column with numbers up to N. */
static int widest(const struct report *r, const char *head, uint64_t n)
{
	struct strbuf text = STRBUF_INIT;

	amount_add_plain(&text, n, r->p->unit);
	int width = larger((int)strlen(head), larger((int)text.len, amount_width(r->p->unit)));

	strbuf_release(&text);
	return width;
}

/* Returns the sum of counts number I. */
static uint64_t all_counted(const struct report *r, size_t i)
{
	uint64_t sum = 0;

	for (uint32_t row = 0; row < r->rows.nr; row++)
		add_capped(&sum, r->rows.list[row].counts[i]);
	return sum;
}

/* A name, and the path of its module, or "". */
struct report_cell {
	const char *name;
	size_t len;
	const char *module; /* or the note for a state, or empty */
	bool is_path;       /* the name is a path, whose end matters */
	bool is_short;      /* the short form of the name is shown */
};

static void add_module(struct strbuf *out, const char *path)
{
	if (*path)
		strbuf_addf(out, *path == '[' ? "%s" : "[%s]", file_name(path));
}

/* Makes the name of CELL the one that is shown, which may be in TEXT. */
static void shorten(struct report_cell *cell, struct strbuf *text)
{
	if (!cell->is_short)
		return;
	short_name_add(text, cell->name, cell->len);
	cell->name = text->buf;
	cell->len = text->len;
}

/* Returns the width of "name [module]". */
static size_t cell_width(struct report_cell cell)
{
	struct strbuf module = STRBUF_INIT, text = STRBUF_INIT;

	shorten(&cell, &text);
	size_t width = terminal_width(cell.name, cell.len);

	add_module(&module, cell.module);
	if (module.len)
		width += 1 + terminal_width(module.buf, module.len);
	strbuf_release(&module);
	strbuf_release(&text);
	return width;
}

/* Appends "name [module]". The module gets at most half of the width. */
static void add_cell(struct strbuf *out, struct report_cell cell, size_t columns)
{
	struct strbuf module = STRBUF_INIT, text = STRBUF_INIT;
	size_t room = columns;

	shorten(&cell, &text);
	add_module(&module, cell.module);
	if (module.len) {
		size_t width = terminal_width(module.buf, module.len);

		room -= (width < columns / 2 ? width : columns / 2) + 1;
		if (terminal_width(cell.name, cell.len) < room)
			room = terminal_width(cell.name, cell.len);
	}
	if (cell.is_path)
		terminal_add_end(out, cell.name, cell.len, room);
	else
		terminal_add_ends(out, cell.name, cell.len, room);
	if (module.len) {
		strbuf_addch(out, ' ');
		terminal_add_ends(out, module.buf, module.len, columns - room - 1);
	}
	strbuf_release(&module);
	strbuf_release(&text);
}

/* Returns the index of the key whose cells have the row's module, or the number of keys. */
static size_t key_with_module(const struct report_keys *keys)
{
	size_t key = keys->nr;

	for (size_t i = 0; report_keys_add_module(keys) && i < keys->nr; i++)
		if (report_by_has_module(keys->list[i]))
			key = i;
	return key;
}

/* Returns "[sleeping]" if VALUE is the letter of a state, and the label's, or "" if not. */
static const char *note_of(const char *label, const char *value)
{
	const char *note = strcmp(label, RECORDING_STATE) ? NULL : wait_note(value);

	return note ? note : "";
}

/* Returns the cell of a key. The name of an unnamed frame is its module, also of a function. */
static struct report_cell cell_of(
	const struct report *r, const struct report_entry *row, size_t key)
{
	const struct report_keys *keys = &r->options->keys;
	const char *value = group_value(&r->rows, row, key);
	enum report_by by = keys->list[key];
	bool module = key == key_with_module(keys) &&
		      !(by == BY_FUNCTION && frame_is_unnamed(r->p, row->frame));

	return (struct report_cell){value, strlen(value),
		module           ? profile_module(r->p, row->frame)
		: by == BY_LABEL ? note_of(report_keys_label(keys, key), value)
				 : "",
		by == BY_MODULE || by == BY_FILE || by == BY_LINE,
		by == BY_FUNCTION && r->options->short_names};
}

static struct report_cell cell_of_function(const struct report *r, const struct report_entry *row)
{
	struct report_cell cell = {.is_short = r->options->short_names};

	cell.name = report_name(r, row, &cell.len);
	cell.module = frame_is_unnamed(r->p, row->frame) ? "" : profile_module(r->p, row->frame);
	return cell;
}

/* Returns whether a row that is shown has a module, in the cells of KEY or as a function. */
static bool has_modules(const struct report *r, size_t key)
{
	bool is_group = r->options->of == REPORT_GROUPS;

	for (uint32_t i = 0; i < report_rows(r); i++) {
		const struct report_entry *row = &r->rows.list[i];

		if (*(is_group ? cell_of(r, row, key) : cell_of_function(r, row)).module)
			return true;
	}
	return false;
}

/* Appends the heading of a key's column. */
static void add_key_head(struct strbuf *out, const struct report *r, size_t key)
{
	const struct report_keys *keys = &r->options->keys;
	enum report_by by = keys->list[key];

	strbuf_adds(
		out, by == BY_LABEL ? report_keys_label(keys, key) : report_keys_column(keys, key));
	if (key == key_with_module(keys) && has_modules(r, key))
		strbuf_adds(out, " [module]");
}

/* Returns the width of a key's heading and of its values in the shown rows. */
static size_t widest_value(const struct report *r, size_t key)
{
	struct strbuf text = STRBUF_INIT;

	add_key_head(&text, r, key);
	size_t width = terminal_width(text.buf, text.len);

	for (uint32_t i = 0; i < report_rows(r); i++) {
		size_t columns = cell_width(cell_of(r, &r->rows.list[i], key));

		width = columns > width ? columns : width;
	}
	strbuf_release(&text);
	return width;
}

/* Returns the sum of the widths of NR columns if none is wider than MOST. */
static size_t sum_of(const size_t *widths, size_t nr, size_t most)
{
	size_t sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += widths[i] < most ? widths[i] : most;
	return sum;
}

/* Divides the columns of names among the keys of groups. The widest ones are cut if they must. */
static void fit_keys(const struct report *r, struct widths *w)
{
	size_t nr = r->options->keys.nr, most = w->name, gaps = 2 * (nr - 1);

	for (size_t i = 0; i < nr; i++)
		w->keys[i] = widest_value(r, i);
	while (most > NAME_MIN && sum_of(w->keys, nr, most) + gaps > w->name)
		most--;
	for (size_t i = 0; i + 1 < nr; i++) {
		w->keys[i] = w->keys[i] < most ? w->keys[i] : most;
		w->name -= w->keys[i] + 2 < w->name ? w->keys[i] + 2 : 0;
	}
}

static struct widths fit(const struct report *r)
{
	struct widths w = {.all = terminal_columns(r->out, TERMINAL_NO_LIMIT)};
	size_t numbers;

	if (report_has_one_weight(r)) {
		w.inclusive = widest(r, "weight", report_whole(r));
		numbers = PERCENT + 1 + (size_t)w.inclusive + 2;
	} else {
		w.self = widest(r, "self", r->rows.nr ? r->rows.list[0].self : 0);
		w.inclusive = widest(r, "inclusive", r->p->nodes[0].total);
		numbers = 2 * (PERCENT + 1) + 2 + (size_t)w.self + (size_t)w.inclusive + 2;
	}
	for (size_t i = 0; report_counted(r, i); i++) {
		w.counts[i] = larger((int)strlen(report_counted(r, i)), digits(all_counted(r, i)));
		numbers += (size_t)w.counts[i] + 2;
	}
	w.each = report_each_unit(r) ? amount_width(report_each_unit(r)) : 0;
	numbers += w.each ? (size_t)w.each + 2 : 0;
	w.name = w.all > numbers + NAME_MIN ? w.all - numbers : NAME_MIN;
	if (r->options->of == REPORT_GROUPS && r->options->keys.nr > 1)
		fit_keys(r, &w);
	return w;
}

static void add_weight(struct report *r, uint64_t weight, uint64_t all, int width)
{
	struct strbuf percent = STRBUF_INIT, amount = STRBUF_INIT;

	percent_add(&percent, weight, all);
	amount_add_plain(&amount, weight, r->p->unit);
	strbuf_addf(&r->text, "%6s %% %*s  ", percent.buf, width, amount.buf);
	strbuf_release(&percent);
	strbuf_release(&amount);
}

static void add_category(struct report *r, const struct report_entry *row, size_t columns)
{
	const char *name = entry_category(&r->rows, row);

	terminal_add_ends(&r->text, name, strlen(name), columns);
}

/* Appends blanks behind the cell of COLUMNS that begins at FROM. */
static void add_blanks(struct report *r, size_t from, size_t columns)
{
	size_t width = terminal_width(r->text.buf + from, r->text.len - from);

	strbuf_addf(&r->text, "%*s", (int)(columns + 2 - width), "");
}

static void add_group(struct report *r, const struct report_entry *row, const struct widths *w)
{
	size_t last = r->options->keys.nr - 1;

	for (size_t i = 0; i < last; i++) {
		size_t from = r->text.len;

		add_cell(&r->text, cell_of(r, row, i), w->keys[i]);
		add_blanks(r, from, w->keys[i]);
	}
	add_cell(&r->text, cell_of(r, row, last), w->name);
}

/* Appends what each of the first counts takes. */
static void add_each(struct report *r, const struct report_entry *row, int width)
{
	struct strbuf text = STRBUF_INIT;
	double each = report_each(r, row);

	if (each >= 0)
		amount_add_scaled(&text, each, report_each_unit(r));
	strbuf_addf(&r->text, "%*s  ", width, text.buf);
	strbuf_release(&text);
}

/* Appends the counts. Further counts than the first, such as errors, are blank if there are none.
 */
static void add_counts(struct report *r, const struct report_entry *row, const struct widths *w)
{
	for (size_t i = 0; i < COUNTED_MAX && w->counts[i]; i++) {
		if (!i || row->counts[i])
			strbuf_addf(&r->text, "%*" PRIu64 "  ", w->counts[i], row->counts[i]);
		else
			strbuf_addf(&r->text, "%*s  ", w->counts[i], "");
		if (!i && w->each)
			add_each(r, row, w->each);
	}
}

static void add_row(struct report *r, const struct report_entry *row, const struct widths *w)
{
	uint64_t all = report_whole(r);

	if (w->self)
		add_weight(r, row->self, all, w->self);
	add_weight(r, row->inclusive, all, w->inclusive);
	add_counts(r, row, w);
	if (r->options->of == REPORT_GROUPS)
		add_group(r, row, w);
	else if (r->options->of == REPORT_CATEGORIES)
		add_category(r, row, w->name);
	else
		add_cell(&r->text, cell_of_function(r, row), w->name);
	strbuf_addch(&r->text, '\n');
}

/* Appends "  61.44 %  800  in malloc*". */
static void add_of(struct report *r, const struct widths *w)
{
	struct strbuf cell = STRBUF_INIT;

	strbuf_adds(&cell, "in ");
	strbuf_adds(&cell, r->options->fn->text);
	add_weight(r, r->of.inclusive, r->p->nodes[0].total, w->inclusive);
	terminal_add_ends(&r->text, cell.buf, cell.len, w->name);
	strbuf_addch(&r->text, '\n');
	strbuf_release(&cell);
}

/* Appends the headings of the keys of groups. */
static void add_key_heads(struct report *r, const struct widths *w)
{
	struct strbuf head = STRBUF_INIT;

	for (size_t i = 0; i < r->options->keys.nr; i++) {
		bool last = i + 1 == r->options->keys.nr;
		size_t from = r->text.len, columns = last ? w->name : w->keys[i];

		strbuf_reset(&head);
		add_key_head(&head, r, i);
		terminal_add(&r->text, head.buf, head.len, columns);
		if (!last)
			add_blanks(r, from, columns);
	}
	strbuf_release(&head);
}

/* Appends the heading of the names of rows. */
static void add_name_head(struct report *r, const struct widths *w)
{
	static const char *const names[] = {
		[REPORT_FUNCTIONS] = "function",
		[REPORT_CATEGORIES] = "category",
		[REPORT_CALLERS] = "caller",
		[REPORT_CALLEES] = "callee",
	};
	enum report_of of = r->options->of;
	struct strbuf head = STRBUF_INIT;

	if (of == REPORT_GROUPS) {
		add_key_heads(r, w);
		return;
	}
	strbuf_adds(&head, names[of]);
	if (of != REPORT_CATEGORIES && has_modules(r, 0))
		strbuf_adds(&head, " [module]");
	terminal_add(&r->text, head.buf, head.len, w->name);
	strbuf_release(&head);
}

static void add_heads(struct report *r, const struct widths *w)
{
	if (w->self)
		strbuf_addf(&r->text, "  self %% %*s  incl. %% %*s  ", w->self, "self",
			w->inclusive, "inclusive");
	else
		strbuf_addf(&r->text, "%s %% %*s  ", report_is_of_calls(r) ? " of it" : "of all",
			w->inclusive, "weight");
	for (size_t i = 0; i < COUNTED_MAX && w->counts[i]; i++) {
		strbuf_addf(&r->text, "%*s  ", w->counts[i], report_counted(r, i));
		if (!i && w->each)
			strbuf_addf(&r->text, "%*s  ", w->each, "each");
	}
	add_name_head(r, w);
	strbuf_addch(&r->text, '\n');
}

static void add_top(struct report *r, const struct widths *w)
{
	struct strbuf heading = STRBUF_INIT;

	profile_heading(r->p, &heading);
	if (heading.len) {
		terminal_add(&r->text, heading.buf, heading.len, w->all);
		strbuf_addch(&r->text, '\n');
	}
	strbuf_release(&heading);
	amount_add_plain(&r->text, r->p->nodes[0].total, r->p->unit);
	if (!amount_width(r->p->unit)) {
		strbuf_addch(&r->text, ' ');
		terminal_add(&r->text, r->p->unit, strlen(r->p->unit), 20);
	}
	strbuf_addch(&r->text, '\n');
	if (report_is_of_calls(r))
		add_of(r, w);
	add_heads(r, w);
	if (r->options->of == REPORT_CALLEES) {
		add_weight(r, r->of.self, r->of.inclusive, w->inclusive);
		strbuf_adds(&r->text, "[self]\n");
	}
}

/* Returns the noun for N rows. */
static const char *noun(const struct report *r, uint32_t n)
{
	static const char *const names[][2] = {
		[REPORT_FUNCTIONS] = {"functions", "function"},
		[REPORT_CATEGORIES] = {"categories", "category"},
		[REPORT_CALLERS] = {"callers", "caller"},
		[REPORT_CALLEES] = {"callees", "callee"},
	};
	const struct report_keys *keys = &r->options->keys;

	if (r->options->of != REPORT_GROUPS)
		return names[r->options->of][n == 1];
	if (keys->nr > 1)
		return n == 1 ? "row" : "rows";
	return report_by_noun(keys->list[0], n);
}

/* Returns the weight of a row that no other row includes. */
static uint64_t own_weight(const struct report *r, const struct report_entry *row)
{
	return report_has_one_weight(r) ? row->inclusive : row->self;
}

/* Appends the sum of the rows from FROM on. */
static void add_sum(struct report *r, uint32_t from, const struct widths *w)
{
	struct report_entry sum = {0};

	for (uint32_t i = from; i < r->rows.nr; i++) {
		add_capped(&sum.inclusive, own_weight(r, &r->rows.list[i]));
		for (size_t k = 0; k < COUNTED_MAX; k++)
			add_capped(&sum.counts[k], r->rows.list[i].counts[k]);
	}
	add_weight(r, sum.inclusive, r->p->nodes[0].total, w->self ? w->self : w->inclusive);
	add_counts(r, &sum, w);
}

/*
 * Appends the number and the sum of the rows from FROM on. There is no sum for calls, because their
 * stacks may overlap.
 */
static void add_rest(struct report *r, uint32_t from, const struct widths *w)
{
	struct strbuf cell = STRBUF_INIT;

	if (!report_is_of_calls(r)) {
		add_sum(r, from, w);
		strbuf_adds(&cell, "in ");
	}
	strbuf_addf(&cell, "%" PRIu32 " more %s", r->rows.nr - from, noun(r, r->rows.nr - from));
	terminal_add(&r->text, cell.buf, cell.len, w->name + PERCENT);
	strbuf_addch(&r->text, '\n');
	strbuf_release(&cell);
}

/*
 * Appends the sum of all rows: of their self weights or, if they have only one weight, of this
 * weight.
 */
static void add_whole(struct report *r, const struct widths *w)
{
	add_sum(r, 0, w);
	strbuf_addf(&r->text, "sum of %" PRIu32 " %s\n", r->rows.nr, noun(r, r->rows.nr));
}

void report_text(struct report *r)
{
	struct widths w = fit(r);
	uint32_t nr = report_rows(r);

	add_top(r, &w);
	for (uint32_t i = 0; i < nr; i++) {
		add_row(r, &r->rows.list[i], &w);
		strbuf_flush(&r->text, r->out);
	}
	if (nr < r->rows.nr)
		add_rest(r, nr, &w);
	if (!report_is_of_calls(r) && r->rows.nr > 1)
		add_whole(r, &w);
}
