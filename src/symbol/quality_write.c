/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/csv.h"
#include "lib/format/json.h"
#include "lib/percent.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "quality.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *source_word(const struct quality_module *m)
{
	static const char *const words[] = {
		[SOURCE_NONE] = "none",
		[SOURCE_DYNSYM] = "exports",
		[SOURCE_OWN] = "symbols",
		[SOURCE_DEBUG] = "debug-file",
		[SOURCE_SERVER] = "server",
		[SOURCE_PERFMAP] = "perf-map",
	};

	if (!m->tried)
		return m->named ? "recording" : "none";
	return words[m->tried->source];
}

static void add_module_name(struct strbuf *out, const struct quality_module *m)
{
	if (m->pid)
		strbuf_addf(out, "[anonymous memory of process %u]", m->pid);
	else
		strbuf_adds(out, m->path);
}

/* ---- CSV and JSON ---- */

struct cell {
	const char *key, *text; /* a number, a part of ALL, or a text, which may be NULL */
	bool is_number;
	uint64_t part, all;
};

enum { CELLS = 8 };

static void add_csv(struct strbuf *out, const struct cell *row)
{
	for (const struct cell *c = row; c < row + CELLS; c++) {
		if (c->is_number)
			strbuf_addf(out, "%" PRIu64 ",", c->part);
		if (c->is_number)
			percent_add(out, c->part, c->all);
		else if (c->text)
			csv_field(out, c->text, strlen(c->text));
		strbuf_addch(out, c + 1 < row + CELLS ? ',' : '\n');
	}
}

static void add_json(struct strbuf *out, const struct cell *row)
{
	for (const struct cell *c = row; c < row + CELLS; c++) {
		const char *before = c > row ? ", " : "  {";

		if (c->is_number)
			json_share(out, before, c->key, c->part, c->all);
		else
			json_text(out, before, c->key, c->text);
	}
	strbuf_addch(out, '}');
}

static void add_row(struct strbuf *out, const struct quality *q, const struct quality_module *m,
	void (*add)(struct strbuf *, const struct cell *))
{
	struct strbuf name = STRBUF_INIT;

	add_module_name(&name, m);
	const struct cell cells[CELLS] = {
		{.key = "module", .text = name.buf},
		{.key = "build_id", .text = m->build_id},
		{"weight", NULL, true, m->weight, q->weight},
		{"named", NULL, true, m->named, m->weight},
		{"lined", NULL, true, m->lined, m->weight},
		{.key = "source", .text = source_word(m)},
		{.key = "reason", .text = m->why},
		{.key = "remedy", .text = m->remedy},
	};
	add(out, cells);
	strbuf_release(&name);
}

int quality_csv(const struct quality *q, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, "module,build_id,weight,weight_pct,named,named_pct,lined,lined_pct,"
			   "source,reason,remedy\n");
	for (size_t i = 0; i < q->nr; i++) {
		add_row(&line, q, &q->list[i], add_csv);
		strbuf_flush(&line, out);
	}
	strbuf_flush(&line, out);
	strbuf_release(&line);
	return written(out, err);
}

int quality_json(const struct quality *q, FILE *out, struct strbuf *err)
{
	struct strbuf line = STRBUF_INIT;

	json_text(&line, "{\n ", "title", recording_meta(q->rec, "title"));
	strbuf_addf(&line, ",\n \"total\": %" PRIu64, q->weight);
	json_text(&line, ",\n ", "unit", q->unit);
	strbuf_adds(&line, ",\n \"account\": ");
	account_json(&q->account, &q->timing, &line);
	if (q->cuts.nr) {
		strbuf_adds(&line, ",\n \"cuts\": ");
		cuts_json(&q->cuts, &q->account, &line);
	}
	strbuf_adds(&line, ",\n \"modules\": [");
	for (size_t i = 0; i < q->nr; i++) {
		strbuf_adds(&line, i ? ",\n" : "\n");
		add_row(&line, q, &q->list[i], add_json);
		strbuf_flush(&line, out);
	}
	strbuf_adds(&line, "\n ]\n}\n");
	strbuf_flush(&line, out);
	strbuf_release(&line);
	return written(out, err);
}

/* ---- text ---- */

enum { INDENT = 8, PERCENTS = 3 * 9 };

static void add_percent_cell(struct strbuf *out, uint64_t part, uint64_t all)
{
	struct strbuf cell = STRBUF_INIT;

	percent_add(&cell, part, all);
	strbuf_addf(out, " %8s", cell.buf);
	strbuf_release(&cell);
}

static void add_numbers(
	struct strbuf *out, const struct quality *q, int width, const struct quality_module *m)
{
	strbuf_addf(out, "%*" PRIu64, width, m->weight);
	add_percent_cell(out, m->weight, q->weight);
	add_percent_cell(out, m->named, m->weight);
	add_percent_cell(out, m->lined, m->weight);
	strbuf_adds(out, "  ");
}

static void add_lacking(struct strbuf *out, const struct quality *q, int width, size_t columns,
	const struct quality_module *m)
{
	size_t numbers = (size_t)width + PERCENTS + 2;
	struct strbuf text = STRBUF_INIT;

	add_numbers(out, q, width, m);
	add_module_name(&text, m);
	terminal_add_end(out, text.buf, text.len, columns > numbers + 10 ? columns - numbers : 10);
	strbuf_addch(out, '\n');
	strbuf_reset(&text);
	strbuf_adds(&text, m->why ? m->why : "");
	if (m->remedy)
		strbuf_addf(&text, "; %s", m->remedy);
	terminal_add_lines(out, text.buf, INDENT, columns);
	strbuf_release(&text);
}

static void add_rest(struct strbuf *out, const struct quality *q, int width,
	const struct quality_module *rest, size_t nr)
{
	add_numbers(out, q, width, rest);
	strbuf_addf(out, "%zu complete file%s\n", nr, nr == 1 ? "" : "s");
}

static void add_foot(struct strbuf *out, const struct quality *q, size_t columns)
{
	struct strbuf text = STRBUF_INIT;

	percent_add(&text, q->named, q->weight);
	strbuf_adds(&text, " % of all frames have names, ");
	percent_add(&text, q->lined, q->weight);
	strbuf_addf(&text, " %% lines (%" PRIu64 " %s over all frames)", q->weight, q->unit);
	terminal_add_lines(out, text.buf, 0, columns);
	for (const char *s = q->notes.buf; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		strbuf_reset(&text);
		strbuf_add(&text, s, strcspn(s, "\n"));
		terminal_add_lines(out, text.buf, 0, columns);
	}
	strbuf_release(&text);
}

int quality_text(const struct quality *q, size_t columns, FILE *out, struct strbuf *err)
{
	int width = snprintf(NULL, 0, "%" PRIu64, q->weight);
	struct quality_module rest = {0};
	struct strbuf text = STRBUF_INIT;
	size_t nr = 0;

	if (width < 6)
		width = 6;
	strbuf_addf(
		&text, "%*s %8s %8s %8s  %s\n", width, "weight", "%", "named %", "lines %", "file");
	for (size_t i = 0; i < q->nr; i++) {
		const struct quality_module *m = &q->list[i];

		if (m->lacks) {
			add_lacking(&text, q, width, columns, m);
			continue;
		}
		add_capped(&rest.weight, m->weight);
		add_capped(&rest.named, m->named);
		add_capped(&rest.lined, m->lined);
		nr++;
	}
	if (nr)
		add_rest(&text, q, width, &rest, nr);
	add_foot(&text, q, columns);
	strbuf_flush(&text, out);
	strbuf_release(&text);
	return written(out, err);
}
