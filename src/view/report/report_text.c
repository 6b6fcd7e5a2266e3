/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "groups.h"
#include "input/notes.h"
#include "lib/percent.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "model/amount.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_MIN = 5, PERCENT = 8, TIME = 8 }; /* columns of names, "100.00 %", "12.34 ms" */

struct widths {
	int self, inclusive; /* columns; self is 0 if there is no such column */
	int count;           /* columns of the counts, or 0 */
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
	int width = larger((int)strlen(head), digits(n));

	if (amount_is_time(r->p->unit)) {
		amount_add(&text, n, r->p->unit);
		width = larger(larger((int)strlen(head), (int)text.len), TIME);
	}
	strbuf_release(&text);
	return width;
}

static uint64_t most_counted(const struct report *r)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < r->rows.nr; i++)
		if (r->rows.list[i].count > most)
			most = r->rows.list[i].count;
	return most;
}

static struct widths fit(const struct report *r)
{
	struct widths w = {.all = terminal_columns(r->out, 80)};
	size_t numbers;

	if (report_has_one_weight(r)) {
		w.inclusive = widest(r, "weight", report_whole(r));
		numbers = PERCENT + 1 + (size_t)w.inclusive + 2;
	} else {
		w.self = widest(r, "self", r->rows.nr ? r->rows.list[0].self : 0);
		w.inclusive = widest(r, "inclusive", r->p->nodes[0].total);
		numbers = 2 * (PERCENT + 1) + 2 + (size_t)w.self + (size_t)w.inclusive + 2;
	}
	if (report_counted(r)) {
		w.count = larger((int)strlen(report_counted(r)), digits(most_counted(r)));
		numbers += (size_t)w.count + TIME + 4;
	}
	w.name = w.all > numbers + NAME_MIN ? w.all - numbers : NAME_MIN;
	return w;
}

static void add_weight(struct report *r, uint64_t weight, uint64_t all, int width)
{
	struct strbuf percent = STRBUF_INIT, amount = STRBUF_INIT;

	percent_add(&percent, weight, all);
	if (amount_is_time(r->p->unit))
		amount_add(&amount, weight, r->p->unit);
	else
		strbuf_addu(&amount, weight);
	strbuf_addf(&r->text, "%6s %% %*s  ", percent.buf, width, amount.buf);
	strbuf_release(&percent);
	strbuf_release(&amount);
}

/*
 * Appends "name [module]". The module gets at most half of the width. PATH is the path of the
 * module, or "" if there is none.
 */
static void add_in_module(
	struct report *r, const char *name, size_t len, const char *path, size_t columns)
{
	struct strbuf module = STRBUF_INIT;
	size_t room = columns;

	if (*path)
		strbuf_addf(&module, *path == '[' ? "%s" : "[%s]", file_name(path));
	if (module.len) {
		size_t width = terminal_width(module.buf, module.len);

		room -= (width < columns / 2 ? width : columns / 2) + 1;
		if (terminal_width(name, len) < room)
			room = terminal_width(name, len);
	}
	terminal_add_ends(&r->text, name, len, room);
	if (module.len) {
		strbuf_addch(&r->text, ' ');
		terminal_add_ends(&r->text, module.buf, module.len, columns - room - 1);
	}
	strbuf_release(&module);
}

static void add_function(struct report *r, const struct function *row, size_t columns)
{
	size_t len;
	const char *name = report_name(r, row, &len);
	/* the name of an unnamed frame is its module */
	bool is_module = frame_is_unnamed(r->p, row->frame);

	add_in_module(r, name, len, is_module ? "" : profile_module(r->p, row->frame), columns);
}

static void add_group(struct report *r, const struct function *row, size_t columns)
{
	const char *name = function_category(&r->rows, row);
	bool modules = r->options->of == REPORT_GROUPS && groups_have_modules(r->options->by);

	add_in_module(
		r, name, strlen(name), modules ? profile_module(r->p, row->frame) : "", columns);
}

static bool is_of_groups(const struct report *r)
{
	return r->options->of == REPORT_GROUPS || r->options->of == REPORT_CATEGORIES;
}

/* Appends the count, and the time for each counted unit. */
static void add_count(struct report *r, const struct function *row, int width)
{
	struct strbuf each = STRBUF_INIT;
	double ns = report_ns_each(r, row);

	if (ns >= 0)
		amount_add_time(&each, ns, "ns");
	strbuf_addf(&r->text, "%*" PRIu64 "  %*s  ", width, row->count, TIME, each.buf);
	strbuf_release(&each);
}

static void add_row(struct report *r, const struct function *row, const struct widths *w)
{
	uint64_t all = report_whole(r);

	if (w->self)
		add_weight(r, row->self, all, w->self);
	add_weight(r, row->inclusive, all, w->inclusive);
	if (w->count)
		add_count(r, row, w->count);
	if (is_of_groups(r))
		add_group(r, row, w->name);
	else
		add_function(r, row, w->name);
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

static const char *head(const struct report *r)
{
	static const char *const names[] = {
		[REPORT_FUNCTIONS] = "function [module]",
		[REPORT_CATEGORIES] = "category",
		[REPORT_CALLERS] = "caller [module]",
		[REPORT_CALLEES] = "callee [module]",
	};
	enum report_by by = r->options->by;

	if (r->options->of != REPORT_GROUPS)
		return names[r->options->of];
	if (groups_have_modules(by))
		return by == BY_FILE ? "file [module]" : "line [module]";
	return by == BY_LABEL ? r->options->key : report_by_word(by);
}

static void add_heads(struct report *r, const struct widths *w)
{
	if (w->self)
		strbuf_addf(&r->text, "  self %% %*s  incl. %% %*s  ", w->self, "self",
			w->inclusive, "inclusive");
	else
		strbuf_addf(&r->text, "%s %% %*s  ", report_is_of_calls(r) ? " of it" : "of all",
			w->inclusive, "weight");
	if (w->count)
		strbuf_addf(&r->text, "%*s  %*s  ", w->count, report_counted(r), TIME, "each");
	terminal_add(&r->text, head(r), strlen(head(r)), w->name);
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
	if (amount_is_time(r->p->unit)) {
		amount_add(&r->text, r->p->nodes[0].total, r->p->unit);
	} else {
		strbuf_addf(&r->text, "%" PRIu64 " ", r->p->nodes[0].total);
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
	static const char *const groups[][2] = {
		[BY_MODULE] = {"modules", "module"},
		[BY_FILE] = {"files", "file"},
		[BY_LINE] = {"lines", "line"},
		[BY_COMM] = {"names", "name"},
		[BY_PROCESS] = {"processes", "process"},
		[BY_THREAD] = {"threads", "thread"},
		[BY_LABEL] = {"values", "value"},
	};

	return r->options->of == REPORT_GROUPS ? groups[r->options->by][n == 1]
					       : names[r->options->of][n == 1];
}

/* Returns the weight of a row that no other row includes. */
static uint64_t own_weight(const struct report *r, const struct function *row)
{
	return report_has_one_weight(r) ? row->inclusive : row->self;
}

/* Appends the sum of the rows from FROM on. */
static void add_sum(struct report *r, uint32_t from, const struct widths *w)
{
	struct function sum = {0};

	for (uint32_t i = from; i < r->rows.nr; i++) {
		add_capped(&sum.inclusive, own_weight(r, &r->rows.list[i]));
		add_capped(&sum.count, r->rows.list[i].count);
	}
	add_weight(r, sum.inclusive, r->p->nodes[0].total, w->self ? w->self : w->inclusive);
	if (w->count)
		add_count(r, &sum, w->count);
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
