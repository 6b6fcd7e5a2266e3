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

enum { WIDTH_MAX = 60, UNLIMITED = 1 << 20 };

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

void grid_add_empty(struct grid *l)
{
	add(l, NULL, 0, false);
}

/* ---- output ---- */

static size_t limit(const struct grid *l, size_t column)
{
	return column + 1 < l->nr_columns ? WIDTH_MAX : UNLIMITED;
}

static size_t width_of(const struct grid *l, size_t column)
{
	size_t width = strlen(l->columns[column]);

	for (size_t i = column; i < l->nr; i += l->nr_columns) {
		size_t w = terminal_width(l->cells[i].text, l->cells[i].len);

		if (w > limit(l, column))
			w = limit(l, column);
		width = w > width ? w : width;
	}
	return width;
}

static bool has_numbers(const struct grid *l, size_t column)
{
	for (size_t i = column; i < l->nr; i += l->nr_columns)
		if (l->cells[i].len)
			return l->cells[i].is_number;
	return false;
}

static void write_text(const struct grid *l, struct strbuf *out)
{
	size_t *width = xcalloc(l->nr_columns, sizeof(*width));
	bool *right = xcalloc(l->nr_columns, sizeof(*right));

	for (size_t i = 0; i < l->nr_columns; i++) {
		width[i] = width_of(l, i);
		right[i] = has_numbers(l, i);
	}
	/* the heading is row 0 */
	for (size_t i = 0; i < l->nr + l->nr_columns; i++) {
		size_t column = i % l->nr_columns;
		const char *text = l->columns[column];
		size_t len = strlen(text), pad;
		bool is_last = column + 1 == l->nr_columns;

		if (i >= l->nr_columns) {
			const struct grid_cell *c = &l->cells[i - l->nr_columns];

			text = c->len ? c->text : "-";
			len = c->len ? c->len : 1;
		}
		pad = terminal_width(text, len);
		pad = pad < width[column] ? width[column] - pad : 0;
		if (right[column])
			strbuf_addf(out, "%*s", (int)pad, "");
		terminal_add(out, text, len, limit(l, column));
		if (!right[column] && !is_last)
			strbuf_addf(out, "%*s", (int)pad, "");
		strbuf_adds(out, is_last ? "\n" : "  ");
	}
	free(width);
	free(right);
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
		grid_write(&l, format, &out);
		grid_release(&l);
		is_first = false;
	}
	strbuf_adds(&out, json ? "}\n" : "");
	strbuf_flush(&out, stdout);
	strbuf_release(&out);
}
