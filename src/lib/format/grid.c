/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grid.h"
#include "lib/format/csv.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH_MAX = 60, LAST_MIN = 10 };

void grid_init(struct grid *l, const char *const *columns, size_t nr_columns)
{
	*l = (struct grid){.columns = columns, .nr_columns = nr_columns};
}

void grid_release(struct grid *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->cells[i].text);
	free(l->cells);
	*l = (struct grid){0};
}

static void add(struct grid *l, char *text, size_t len, bool is_number)
{
	ALLOC_GROW(l->cells, l->nr, l->alloc);
	l->cells[l->nr++] = (struct grid_cell){text, len, is_number};
}

static void add_copy(struct grid *l, const char *text, size_t len, bool is_number)
{
	char *copy = NULL;

	if (len) {
		copy = xmalloc(len);
		memcpy(copy, text, len);
	}
	add(l, copy, len, is_number);
}

void grid_add(struct grid *l, const char *text, size_t len)
{
	add_copy(l, text, len, false);
}

void grid_add_amount(struct grid *l, const char *text, size_t len)
{
	add_copy(l, text, len, true);
}

void grid_adds(struct grid *l, const char *text)
{
	grid_add(l, text, text ? strlen(text) : 0);
}

void grid_addu(struct grid *l, uint64_t number)
{
	char *text = xasprintf("%llu", (unsigned long long)number);

	add(l, text, strlen(text), true);
}

void grid_addf(struct grid *l, double number, int decimals)
{
	char *text = xasprintf("%.*f", decimals, number);

	add(l, text, strlen(text), true);
}

void grid_add_address(struct grid *l, uint64_t address)
{
	char *text = xasprintf("%#llx", (unsigned long long)address);

	add(l, text, strlen(text), false);
}

void grid_add_empty(struct grid *l)
{
	add(l, NULL, 0, false);
}

/* ---- output ---- */

enum grid_format grid_format_settled(enum grid_format format)
{
	if (format != GRID_OF_STDOUT)
		return format;
	return isatty(STDOUT_FILENO) ? GRID_TEXT : GRID_CSV;
}

/* How columns are shown in text. */
struct text_layout {
	size_t nr;
	size_t *order; /* numbers of the columns */
	size_t *width; /* of each column */
	bool *right;   /* whether it is aligned to the right */
};

static bool has_numbers(const struct grid *l, size_t column)
{
	for (size_t i = column; i < l->nr; i += l->nr_columns)
		if (l->cells[i].len)
			return l->cells[i].is_number;
	return false;
}

static size_t width_of(const struct grid *l, size_t column)
{
	size_t width = strlen(l->columns[column]);

	for (size_t i = column; i < l->nr; i += l->nr_columns) {
		size_t w = terminal_width(l->cells[i].text, l->cells[i].len);

		width = w > width ? w : width;
	}
	if (l->widths && width < l->widths[column])
		width = l->widths[column];
	if (l->widths)
		l->widths[column] = width;
	return width;
}

/* Cuts the last column, and the others as well if there is no room for it. */
static void fit(const struct grid *l, struct text_layout *t)
{
	size_t last = t->order[t->nr - 1], used = 2 * (t->nr - 1);

	for (size_t i = 0; i < t->nr; i++)
		if (i != last && t->width[i] > WIDTH_MAX)
			t->width[i] = WIDTH_MAX;
	if (!l->width_max)
		return;
	for (size_t i = 0; i < t->nr; i++)
		used += i == last ? 0 : t->width[i];
	size_t room = l->width_max > used + LAST_MIN ? l->width_max - used : LAST_MIN;

	if (t->width[last] > room)
		t->width[last] = room;
}

static void text_layout_init(struct text_layout *t, const struct grid *l)
{
	size_t name = l->name ? l->name : l->nr_columns - 1;

	*t = (struct text_layout){.nr = l->nr_columns,
		.order = xcalloc(l->nr_columns, sizeof(*t->order)),
		.width = xcalloc(l->nr_columns, sizeof(*t->width)),
		.right = xcalloc(l->nr_columns, sizeof(*t->right))};
	for (size_t i = 0; i < t->nr; i++) {
		t->order[i] = i + 1 == t->nr ? name : i + (i >= name);
		t->width[i] = width_of(l, i);
		t->right[i] = has_numbers(l, i);
	}
	fit(l, t);
}

static void text_layout_release(struct text_layout *t)
{
	free(t->order);
	free(t->width);
	free(t->right);
}

/* Appends a cell and what follows it. */
static void add_cell(
	struct strbuf *out, const struct text_layout *t, size_t at, const char *text, size_t len)
{
	size_t column = t->order[at], width = t->width[column], pad = terminal_width(text, len);
	bool is_last = at + 1 == t->nr;

	pad = pad < width ? width - pad : 0;
	if (t->right[column])
		strbuf_addf(out, "%*s", (int)pad, "");
	if (is_last)
		terminal_add_ends(out, text, len, width);
	else
		terminal_add(out, text, len, width);
	if (!t->right[column] && !is_last)
		strbuf_addf(out, "%*s", (int)pad, "");
	strbuf_adds(out, is_last ? "\n" : "  ");
}

static void write_text(const struct grid *l, struct strbuf *out)
{
	struct text_layout t;

	text_layout_init(&t, l);
	for (size_t i = 0; i < t.nr && !l->without_heading; i++)
		add_cell(out, &t, i, l->columns[t.order[i]], strlen(l->columns[t.order[i]]));
	for (size_t row = 0; row < l->nr; row += t.nr)
		for (size_t i = 0; i < t.nr; i++) {
			const struct grid_cell *c = &l->cells[row + t.order[i]];

			add_cell(out, &t, i, c->len ? c->text : "-", c->len ? c->len : 1);
		}
	text_layout_release(&t);
}

static void write_csv(const struct grid *l, struct strbuf *out)
{
	for (size_t i = 0; i < l->nr_columns && !l->without_heading; i++)
		strbuf_addf(out, "%s%s", l->columns[i], i + 1 < l->nr_columns ? "," : "\n");
	for (size_t i = 0; i < l->nr; i++) {
		if (l->cells[i].len)
			csv_field(out, l->cells[i].text, l->cells[i].len);
		strbuf_addch(out, (i + 1) % l->nr_columns ? ',' : '\n');
	}
}

static void write_json(const struct grid *l, struct strbuf *out)
{
	strbuf_addch(out, '[');
	for (size_t i = 0; i < l->nr; i += l->nr_columns) {
		const char *between = "";

		strbuf_adds(out, i ? ",\n{" : "\n{");
		for (size_t k = 0; k < l->nr_columns; k++) {
			const struct grid_cell *c = &l->cells[i + k];

			if (!c->len)
				continue;
			strbuf_addf(out, "%s\"%s\": ", between, l->columns[k]);
			if (c->is_number)
				strbuf_add(out, c->text, c->len);
			else
				json_string(out, c->text, c->len);
			between = ", ";
		}
		strbuf_addch(out, '}');
	}
	strbuf_addch(out, ']');
}

void grid_write(const struct grid *l, enum grid_format format, struct strbuf *out)
{
	switch (format) {
	case GRID_OF_STDOUT:
	case GRID_TEXT:
		write_text(l, out);
		break;
	case GRID_CSV:
		write_csv(l, out);
		break;
	case GRID_JSON:
		write_json(l, out);
		break;
	}
}

void grid_print(const char *const *names, grid_list *const *lists, unsigned shown,
	enum grid_format format, void *context)
{
	struct strbuf out = STRBUF_INIT;
	bool is_first = true, json = format == GRID_JSON;

	for (size_t i = 0; names[i]; i++) {
		struct grid l;

		if (!(shown >> i & 1))
			continue;
		if (json)
			strbuf_addf(&out, "%s\"%s\": ", is_first ? "{" : ",\n", names[i]);
		else if (!is_first)
			strbuf_addch(&out, '\n');
		lists[i](&l, context);
		l.width_max = terminal_columns(stdout, 0);
		grid_write(&l, format, &out);
		grid_release(&l);
		is_first = false;
	}
	strbuf_adds(&out, json ? "}\n" : "");
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
}
