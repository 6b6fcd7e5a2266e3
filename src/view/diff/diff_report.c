/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "diff_report.h"
#include "diff_functions.h"
#include "diff_limit.h"
#include "input/notes.h"
#include "lib/format/csv.h"
#include "lib/format/json.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "model/amount.h"
#include "symbol/names/short_name.h"

#include <inttypes.h>
#include <string.h>

static void add_delta(struct strbuf *out, struct diff_pair w)
{
	if (w.after < w.before)
		strbuf_addch(out, '-');
	strbuf_addu(out, w.after < w.before ? w.before - w.after : w.after - w.before);
}

static void add_delta_pct(struct strbuf *out, const struct diff_scale *scale, struct diff_pair w)
{
	struct diff_change change = diff_change(scale, w);
	uint64_t value = diff_hundredths(change, false);

	strbuf_addf(out, "%s%" PRIu64 ".%02u", value && change.fell ? "-" : "", value / 100,
		(unsigned)(value % 100));
}

static void add_csv_weights(struct strbuf *out, const struct diff_scale *scale, struct diff_pair w)
{
	strbuf_addf(out, ",%" PRIu64 ",%" PRIu64 ",", w.before, w.after);
	add_delta(out, w);
	strbuf_addch(out, ',');
	add_delta_pct(out, scale, w);
}

static void add_csv_name(struct strbuf *out, const struct diff_functions *f, uint32_t name)
{
	csv_field(out, strpool_get(&f->names, name), strpool_len(&f->names, name));
}

int diff_report_csv(const struct diff_functions *f, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, "function,module,category,self_before,self_after,self_delta,"
			   "self_delta_pct,inclusive_before,inclusive_after,inclusive_delta,"
			   "inclusive_delta_pct,status\n");
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct diff_function *fn = &f->list[i];

		add_csv_name(&line, f, fn->name);
		strbuf_addch(&line, ',');
		add_csv_name(&line, f, fn->module);
		strbuf_addch(&line, ',');
		add_csv_name(&line, f, fn->category);
		add_csv_weights(&line, &f->scale, fn->self);
		add_csv_weights(&line, &f->scale, fn->inclusive);
		strbuf_addf(&line, ",%s\n", diff_function_status(f, fn));
		strbuf_flush(&line, out);
	}
	strbuf_flush(&line, out);
	strbuf_release(&line);
	return written(out, err);
}

static void add_json_name(
	struct strbuf *out, const char *key, const struct diff_functions *f, uint32_t name)
{
	strbuf_addf(out, "\"%s\": ", key);
	json_string(out, strpool_get(&f->names, name), strpool_len(&f->names, name));
	strbuf_adds(out, ", ");
}

static void add_json_weights(
	struct strbuf *out, const char *key, const struct diff_scale *scale, struct diff_pair w)
{
	strbuf_addf(out,
		"\"%s_before\": %" PRIu64 ", \"%s_after\": %" PRIu64 ", \"%s_delta\": ", key,
		w.before, key, w.after, key);
	add_delta(out, w);
	strbuf_addf(out, ", \"%s_delta_pct\": ", key);
	add_delta_pct(out, scale, w);
	strbuf_adds(out, ", ");
}

static void add_json_function(
	struct strbuf *out, const struct diff_functions *f, const struct diff_function *fn)
{
	strbuf_adds(out, "  {");
	add_json_name(out, "function", f, fn->name);
	add_json_name(out, "module", f, fn->module);
	add_json_name(out, "category", f, fn->category);
	add_json_weights(out, "self", &f->scale, fn->self);
	add_json_weights(out, "inclusive", &f->scale, fn->inclusive);
	strbuf_addf(out, "\"status\": \"%s\"}", diff_function_status(f, fn));
}

int diff_report_json(const struct diff_functions *f, const struct diff_limit *limit, FILE *out,
	struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text,
		"{\n \"total_before\": %" PRIu64 ",\n \"total_after\": %" PRIu64 ",\n \"unit\": ",
		f->scale.total.before, f->scale.total.after);
	json_string(&text, f->unit, strlen(f->unit));
	strbuf_addf(&text, ",\n \"normalized\": %s,\n", f->scale.normalized ? "true" : "false");
	if (limit) {
		strbuf_adds(&text, " \"limit\": ");
		diff_limit_json(limit, &text);
		strbuf_adds(&text, ",\n");
	}
	strbuf_adds(&text, " \"functions\": [");
	for (uint32_t i = 0; i < f->nr; i++) {
		strbuf_adds(&text, i ? ",\n" : "\n");
		add_json_function(&text, f, &f->list[i]);
		strbuf_flush(&text, out);
	}
	strbuf_adds(&text, "\n ]\n}\n");
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return written(out, err);
}

/* Widths in columns. BEFORE is the width of "before". */
enum { CHANGE = 12, STATUS = 7, BETWEEN = 2, BEFORE = 6 };

struct columns {
	int before, after;
	size_t name;
	bool short_names;
};

/* Returns the width of a column with weights up to TOTAL. */
static int width_of(uint64_t total, const char *unit)
{
	struct strbuf text = STRBUF_INIT;

	amount_add_plain(&text, total, unit);
	int width = (int)text.len, scaled = amount_width(unit), least = scaled ? scaled : BEFORE;

	strbuf_release(&text);
	return width < least ? least : width;
}

static struct columns fit(const struct diff_functions *f, FILE *out)
{
	size_t all = terminal_columns(out, TERMINAL_NO_LIMIT);
	struct columns c = {
		.before = width_of(f->scale.total.before, f->unit),
		.after = width_of(f->scale.total.after, f->unit),
	};
	size_t numbers = (size_t)(c.before + c.after) + 2 * CHANGE + STATUS + 5 * BETWEEN;

	c.name = all > numbers + 10 ? all - numbers : 10;
	return c;
}

/* Appends "+12.34 %". */
static void add_change(struct strbuf *out, const struct diff_scale *scale, struct diff_pair w)
{
	struct strbuf cell = STRBUF_INIT, number = STRBUF_INIT;

	add_delta_pct(&number, scale, w);
	if (*number.buf != '-' && strcmp(number.buf, "0.00"))
		strbuf_addch(&cell, '+');
	strbuf_addf(&cell, "%s %%", number.buf);
	strbuf_addf(out, "  %*s", CHANGE, cell.buf);
	strbuf_release(&number);
	strbuf_release(&cell);
}

/* Appends a weight, right-aligned. */
static void add_weight(struct strbuf *out, uint64_t n, const char *unit, int width)
{
	struct strbuf cell = STRBUF_INIT;

	amount_add_plain(&cell, n, unit);
	strbuf_addf(out, "%*s", width, cell.buf);
	strbuf_release(&cell);
}

static void add_top_line(struct strbuf *out, const struct diff_functions *f,
	const struct diff_function *fn, const struct columns *c)
{
	struct strbuf name = STRBUF_INIT;
	const char *module = strpool_get(&f->names, fn->module);

	add_weight(out, fn->self.before, f->unit, c->before);
	strbuf_adds(out, "  ");
	add_weight(out, fn->self.after, f->unit, c->after);
	add_change(out, &f->scale, fn->self);
	add_change(out, &f->scale, fn->inclusive);
	strbuf_addf(out, "  %-*s  ", STATUS, diff_function_status(f, fn));
	const char *whole = strpool_get(&f->names, fn->name);
	size_t len = strpool_len(&f->names, fn->name);

	if (c->short_names)
		short_name_add(&name, whole, len);
	else
		strbuf_add(&name, whole, len);
	/* an unnamed function is named after its module */
	if (*module && !name_is_unnamed(whole, len) && !name_of_start(whole, len))
		strbuf_addf(&name, *module == '[' ? " %s" : " [%s]", file_name(module));
	terminal_add(out, name.buf, name.len, c->name);
	strbuf_addch(out, '\n');
	strbuf_release(&name);
}

static void add_top_head(
	struct strbuf *out, const struct diff_functions *f, const struct columns *c)
{
	amount_add_plain(out, f->scale.total.before, f->unit);
	strbuf_adds(out, " -> ");
	amount_add_plain(out, f->scale.total.after, f->unit);
	if (!amount_width(f->unit)) {
		strbuf_addch(out, ' ');
		terminal_add(out, f->unit, strlen(f->unit), 20);
	}
	strbuf_addf(out, "; changes in %s\n",
		f->scale.normalized ? "percentage points of the shares"
				    : "per cent of the total before");
	strbuf_addf(out, "%*s  %*s  %*s  %*s  %-*s  function [module]\n", c->before, "before",
		c->after, "after", CHANGE, "self", CHANGE, "inclusive", STATUS, "status");
}

int diff_report_top(
	const struct diff_functions *f, unsigned n, bool short_names, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct columns columns = fit(f, out);

	columns.short_names = short_names;
	uint32_t changed = 0;

	add_top_head(&line, f, &columns);
	for (uint32_t i = 0; i < f->nr; i++) {
		if (!strcmp(diff_function_status(f, &f->list[i]), "same"))
			continue;
		if (changed++ < n)
			add_top_line(&line, f, &f->list[i], &columns);
	}
	if (changed > n)
		strbuf_addf(&line, "%" PRIu32 " more function%s changed\n", changed - n,
			changed - n > 1 ? "s" : "");
	strbuf_addf(&line, "%" PRIu32 " function%s the same\n", f->nr - changed,
		f->nr - changed == 1 ? " is" : "s are");
	strbuf_flush(&line, out);
	strbuf_release(&line);
	return written(out, err);
}
