/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view.h"
#include "functions.h"
#include "lib/csv.h"
#include "lib/folded.h"
#include "lib/json.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void add_weights(struct strbuf *out, const struct functions *f, const struct function *fn)
{
	uint64_t all = f->p->nodes[0].total;

	strbuf_addu(out, fn->self);
	strbuf_addch(out, ',');
	percent_add(out, fn->self, all);
	strbuf_addch(out, ',');
	strbuf_addu(out, fn->inclusive);
	strbuf_addch(out, ',');
	percent_add(out, fn->inclusive, all);
}

static void add_name(struct strbuf *out, const struct functions *f, const struct function *fn)
{
	size_t len;
	const char *name = profile_name(f->p, fn->frame, &len);

	csv_field(out, name, len);
}

int view_report_csv(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct functions f;

	functions_init(&f, p, NULL);
	strbuf_adds(&line, "function,module,self,self_pct,inclusive,inclusive_pct,category\n");
	for (uint32_t i = 0; i < f.nr; i++) {
		const struct function *fn = &f.list[i];
		const char *module = profile_module(p, fn->frame);
		const char *category = function_category(&f, fn);

		add_name(&line, &f, fn);
		strbuf_addch(&line, ',');
		csv_field(&line, module, strlen(module));
		strbuf_addch(&line, ',');
		add_weights(&line, &f, fn);
		strbuf_addch(&line, ',');
		csv_field(&line, category, strlen(category));
		strbuf_addch(&line, '\n');
		strbuf_flush(&line, out);
	}
	strbuf_flush(&line, out);
	functions_release(&f);
	strbuf_release(&line);
	return written(out, err);
}

int view_report_summary(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct functions f;

	functions_init_categories(&f, p, NULL);
	strbuf_adds(&line, "category,self,self_pct,inclusive,inclusive_pct\n");
	for (uint32_t i = 0; i < f.nr; i++) {
		const char *category = function_category(&f, &f.list[i]);

		csv_field(&line, category, strlen(category));
		strbuf_addch(&line, ',');
		add_weights(&line, &f, &f.list[i]);
		strbuf_addch(&line, '\n');
	}
	strbuf_flush(&line, out);
	functions_release(&f);
	strbuf_release(&line);
	return written(out, err);
}

static void add_json_string(struct strbuf *out, const char *s)
{
	json_string(out, s, strlen(s));
}

static void add_json_function(
	struct strbuf *out, const struct functions *f, const struct function *fn)
{
	uint64_t all = f->p->nodes[0].total;
	size_t len;
	const char *name = profile_name(f->p, fn->frame, &len);

	strbuf_adds(out, "  {\"function\": ");
	json_string(out, name, len);
	strbuf_adds(out, ", \"module\": ");
	add_json_string(out, profile_module(f->p, fn->frame));
	strbuf_addf(out, ", \"self\": %" PRIu64 ", \"self_pct\": ", fn->self);
	percent_add(out, fn->self, all);
	strbuf_addf(out, ", \"inclusive\": %" PRIu64 ", \"inclusive_pct\": ", fn->inclusive);
	percent_add(out, fn->inclusive, all);
	strbuf_adds(out, ", \"category\": ");
	add_json_string(out, function_category(f, fn));
	strbuf_addch(out, '}');
}

int view_report_json(const struct profile *p, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct functions f;

	functions_init(&f, p, NULL);
	strbuf_adds(&line, "{\n \"title\": ");
	if (p->title)
		add_json_string(&line, p->title);
	else
		strbuf_adds(&line, "null");
	strbuf_addf(&line, ",\n \"total\": %" PRIu64 ",\n \"unit\": ", p->nodes[0].total);
	add_json_string(&line, p->unit);
	strbuf_adds(&line, ",\n");
	strbuf_adds(&line, " \"account\": ");
	account_json(&p->account, &line);
	strbuf_adds(&line, ",\n \"functions\": [");
	for (uint32_t i = 0; i < f.nr; i++) {
		strbuf_adds(&line, i ? ",\n" : "\n");
		add_json_function(&line, &f, &f.list[i]);
		strbuf_flush(&line, out);
	}
	strbuf_adds(&line, "\n ]\n}\n");
	strbuf_flush(&line, out);
	functions_release(&f);
	strbuf_release(&line);
	return written(out, err);
}

struct widths {
	int self, inclusive;
	size_t name;
};

static int digits(uint64_t n)
{
	return snprintf(NULL, 0, "%" PRIu64, n);
}

static struct widths fit(const struct functions *f, FILE *out)
{
	size_t columns = terminal_columns(out, 80);
	struct widths w = {.self = 4, .inclusive = digits(f->p->nodes[0].total)};

	if (f->nr && digits(f->list[0].self) > w.self)
		w.self = digits(f->list[0].self);
	if (w.inclusive < 9)
		w.inclusive = 9;
	size_t numbers = 8 + 1 + (size_t)w.self + 2 + 8 + 1 + (size_t)w.inclusive + 2;

	w.name = columns > numbers + 10 ? columns - numbers : 10;
	return w;
}

static void add_top_line(struct strbuf *line, const struct functions *f, const struct function *fn,
	const struct widths *w)
{
	struct strbuf cell = STRBUF_INIT;
	const char *module = profile_module(f->p, fn->frame);
	size_t len;
	const char *name = profile_name(f->p, fn->frame, &len);

	percent_add(&cell, fn->self, f->p->nodes[0].total);
	strbuf_addf(line, "%6s %% %*" PRIu64, cell.buf, w->self, fn->self);
	strbuf_reset(&cell);
	percent_add(&cell, fn->inclusive, f->p->nodes[0].total);
	strbuf_addf(line, "  %6s %% %*" PRIu64 "  ", cell.buf, w->inclusive, fn->inclusive);
	strbuf_reset(&cell);
	strbuf_add(&cell, name, len);
	if (*module && !frame_is_unnamed(f->p, fn->frame)) /* that is called after its module */
		strbuf_addf(&cell, *module == '[' ? " %s" : " [%s]", file_name(module));
	terminal_add(line, cell.buf, cell.len, w->name);
	strbuf_addch(line, '\n');
	strbuf_release(&cell);
}

int view_report_top(const struct profile *p, unsigned n, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;
	struct functions f;
	uint64_t rest = 0;

	functions_init(&f, p, NULL);
	struct widths w = fit(&f, out);

	if (p->title) {
		terminal_add(&line, p->title, strlen(p->title), w.name + 40);
		strbuf_adds(&line, "\n");
	}
	strbuf_addf(&line, "%" PRIu64 " ", p->nodes[0].total);
	terminal_add(&line, p->unit, strlen(p->unit), 20);
	strbuf_addf(&line, "\n  self %% %*s  incl. %% %*s  function [module]\n", w.self, "self",
		w.inclusive, "inclusive");
	for (uint32_t i = 0; i < f.nr; i++) {
		if (i < n)
			add_top_line(&line, &f, &f.list[i], &w);
		else
			add_capped(&rest, f.list[i].self);
	}
	if (f.nr > n) {
		struct strbuf percent = STRBUF_INIT;

		percent_add(&percent, rest, p->nodes[0].total);
		strbuf_addf(&line, "%6s %% %*" PRIu64 "  in %u functions more\n", percent.buf,
			w.self, rest, f.nr - n);
		strbuf_release(&percent);
	}
	strbuf_flush(&line, out);
	functions_release(&f);
	strbuf_release(&line);
	return written(out, err);
}
