/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/format/xml.h"
#include "listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
#include "web/annotate.inc"
	;
static const char policy[] =
#include "web/annotate_policy.inc"
	;

enum { HEATS = 9 }; /* classes of the style sheet */

/* An instruction of a line. */
struct line_insn {
	uint32_t source, line; /* source is a number in the function's sources */
	uint32_t block, insn;
};

struct html_writer {
	struct annotation *a;
	const struct annotated *f;
	struct listing_base base;
	struct line_insn *insns; /* instructions of f, sorted by line */
	size_t nr_insns, insns_alloc;
	FILE *out;
	struct strbuf text, raw;
};

static void add_text(struct html_writer *w, const char *s)
{
	xml_text(&w->text, s, strlen(s));
}

static void flush(struct html_writer *w)
{
	strbuf_flush(&w->text, w->out);
}

/* ---- rows of weights ---- */

/* Returns 0 to HEATS. Each heat begins at half of the weight at which the next one begins. */
static unsigned heat_of(const struct html_writer *w, uint64_t weight)
{
	unsigned heat = HEATS;

	if (!weight)
		return 0;
	for (double least = (double)w->base.all / 2; heat > 1 && (double)weight < least; least /= 2)
		heat--;
	return heat;
}

static void begin_row(struct html_writer *w, uint32_t counter, const char *class)
{
	struct counter c = annotation_weights(w->a, counter);
	uint64_t weight = listing_weight(&w->base, &c);

	strbuf_addf(&w->text, "<tr class=\"%sheat%u\"><td>", class, heat_of(w, weight));
	if (weight)
		percent_add(&w->text, weight, w->base.all);
	strbuf_adds(&w->text, "</td><td>");
	if (c.self)
		strbuf_addf(&w->text, "%" PRIu64, c.self);
	strbuf_adds(&w->text, "</td><td>");
	if (c.total)
		strbuf_addf(&w->text, "%" PRIu64, c.total);
	strbuf_adds(&w->text, "</td>");
}

static void begin_table(struct html_writer *w, const char *caption, const char *last)
{
	strbuf_adds(&w->text, "<table>");
	if (caption) {
		strbuf_adds(&w->text, "<caption>");
		add_text(w, caption);
		strbuf_adds(&w->text, "</caption>");
	}
	strbuf_addf(&w->text,
		"\n<thead><tr><th>%% %s</th><th>self</th><th>total</th>%s</tr></thead>\n<tbody>\n",
		w->base.of_total ? "total" : "self", last);
}

static void end_table(struct html_writer *w)
{
	strbuf_adds(&w->text, "</tbody></table>\n");
	flush(w);
}

static void write_insn(struct html_writer *w, const struct annotated_block *b, uint32_t insn)
{
	const struct code *code = &w->a->code.list[b->file].code;

	begin_row(w, w->a->counters[b->file][insn], "");
	strbuf_addf(&w->text, "<td>%" PRIx64 "</td><td class=\"text\">", code->insns[insn].address);
	strbuf_reset(&w->raw);
	listing_add_insn(w->a, b->file, insn, &w->raw);
	xml_text(&w->text, w->raw.buf, w->raw.len);
	strbuf_adds(&w->text, "</td></tr>\n");
	flush(w);
}

/* ---- lines ---- */

static int compare_insns(const void *a, const void *b)
{
	const struct line_insn *x = a, *y = b;
	int order = compare_u64(x->source, y->source);

	if (!order)
		order = compare_u64(x->line, y->line);
	if (!order)
		order = compare_u64(x->block, y->block);
	return order ? order : compare_u64(x->insn, y->insn);
}

/* Returns the number of FRAME's source file in the sources of F. */
static uint32_t source_of(
	const struct html_writer *w, uint32_t file, const struct code_frame *frame)
{
	const char *path = strpool_get(&w->a->code.list[file].code.strings, frame->file);

	for (uint32_t i = 0; i < w->f->nr_sources; i++) {
		const struct source_file *source = &w->a->sources[w->f->sources[i].file];

		if (!strcmp(source->path, path))
			return i;
	}
	return 0;
}

static void find_insns(struct html_writer *w)
{
	w->nr_insns = 0;
	for (uint32_t i = 0; i < w->f->nr_blocks; i++)
		for (uint32_t k = 0; k < w->f->blocks[i].nr; k++) {
			const struct annotated_block *b = &w->f->blocks[i];
			const struct code_frame *frame =
				annotation_frame(w->a, w->f, b, b->first + k);

			if (!frame || !frame->file || !frame->line)
				continue;
			ALLOC_GROW(w->insns, w->nr_insns, w->insns_alloc);
			w->insns[w->nr_insns++] = (struct line_insn){
				source_of(w, b->file, frame), frame->line, i, b->first + k};
		}
	if (w->nr_insns)
		qsort(w->insns, w->nr_insns, sizeof(*w->insns), compare_insns);
}

static size_t first_insn(const struct html_writer *w, uint32_t source, uint32_t line)
{
	const struct line_insn key = {.source = source, .line = line};
	size_t low = 0, high = w->nr_insns;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_insns(&w->insns[mid], &key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void write_calls(struct html_writer *w, const struct annotated_line *line)
{
	size_t nr;
	uint32_t *calls = listing_calls(w->a, line, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct annotated_call *call = &w->a->calls[calls[i]];

		begin_row(w, call->counter, "inlined ");
		strbuf_adds(&w->text, "<td></td><td class=\"text\">inlined: ");
		strbuf_reset(&w->raw);
		listing_add_call(w->a, call, &w->raw);
		xml_text(&w->text, w->raw.buf, w->raw.len);
		strbuf_adds(&w->text, "</td></tr>\n");
	}
	free(calls);
}

/* Writes the text of a line. If the line has samples, a click shows its instructions. */
static void write_line(
	struct html_writer *w, uint32_t source, uint32_t number, const struct annotated_line *line)
{
	const struct source_file *file = &w->a->sources[w->f->sources[source].file];
	bool sampled = line && line->counter != NO_COUNTER && w->f->nr_blocks;
	size_t len;
	const char *s = source_file_line(file, number, &len);

	begin_row(w, line ? line->counter : NO_COUNTER, "");
	strbuf_addf(&w->text, "<td>%" PRIu32 "</td><td class=\"text\">%s", number,
		sampled ? "<details><summary>" : "");
	strbuf_reset(&w->raw);
	listing_add_source(&w->raw, s, len);
	xml_text(&w->text, w->raw.buf, w->raw.len);
	if (sampled) {
		strbuf_adds(&w->text, "</summary>");
		begin_table(w, NULL, "<th>address</th><th class=\"text\">instruction</th>");
		for (size_t i = first_insn(w, source, number); i < w->nr_insns; i++) {
			if (w->insns[i].source != source || w->insns[i].line != number)
				break;
			write_insn(w, &w->f->blocks[w->insns[i].block], w->insns[i].insn);
		}
		end_table(w);
		strbuf_adds(&w->text, "</details>");
	}
	strbuf_adds(&w->text, "</td></tr>\n");
}

static void write_source(struct html_writer *w, uint32_t source)
{
	const struct annotated_source *s = &w->f->sources[source];
	const struct source_file *file = &w->a->sources[s->file];
	bool gap = false;
	size_t at = 0;

	const char *path = file->text ? file->found : file->path;

	begin_table(w, strcmp(path, w->f->name) ? path : NULL,
		"<th>line</th><th class=\"text\">source</th>");
	for (uint32_t n = 0; (n = listing_next(w->a, s, n));) {
		const struct annotated_line *line = listing_line(s, n);
		bool shown =
			file->text ? listing_shows(s, n, &at) : line && line->counter != NO_COUNTER;

		if (shown) {
			write_line(w, source, n, line);
			if (line)
				write_calls(w, line);
		} else if (!gap && file->text) {
			strbuf_adds(
				&w->text, "<tr><td colspan=\"3\"></td><td>…</td><td></td></tr>\n");
		}
		gap = !shown;
	}
	end_table(w);
}

/* ---- functions ---- */

static void write_blocks(struct html_writer *w)
{
	size_t nr = 0;

	for (size_t i = 0; i < w->f->nr_blocks; i++)
		nr += w->f->blocks[i].nr;
	strbuf_addf(&w->text, "<details%s><summary>All %zu instructions</summary>\n",
		w->f->nr_sources ? "" : " open=\"open\"", nr);
	for (size_t i = 0; i < w->f->nr_blocks; i++) {
		const struct annotated_block *b = &w->f->blocks[i];

		strbuf_reset(&w->raw);
		if (b->into != w->f->function && b->into != NO_FUNCTION)
			strbuf_addf(&w->raw, "inlined into %s",
				recorded_name(&w->a->recorded, b->into));
		begin_table(w, w->raw.len ? w->raw.buf : NULL,
			"<th>address</th><th class=\"text\">instruction</th>");
		for (uint32_t k = b->first; k < b->first + b->nr; k++)
			write_insn(w, b, k);
		end_table(w);
	}
	strbuf_adds(&w->text, "</details>\n");
}

static void write_function(struct html_writer *w, size_t number)
{
	const struct annotated *f = w->f;

	strbuf_addf(&w->text, "<section id=\"f%zu\">\n<h2>", number);
	add_text(w, f->name);
	strbuf_adds(&w->text, "</h2>\n<p>");
	if (*f->module) {
		add_text(w, f->module);
		strbuf_adds(&w->text, "</p>\n<p>");
	}
	strbuf_reset(&w->raw);
	listing_add_share(w->a, f, &w->raw);
	xml_text(&w->text, w->raw.buf, w->raw.len);
	strbuf_adds(&w->text, "</p>\n");
	strbuf_reset(&w->raw);
	listing_add_lack(w->a, f, &w->raw);
	for (const char *s = w->raw.buf; *s; s += strcspn(s, "\n"), s += *s == '\n') {
		strbuf_adds(&w->text, "<p class=\"lack\">");
		xml_text(&w->text, s, strcspn(s, "\n"));
		strbuf_adds(&w->text, "</p>\n");
	}
	find_insns(w);
	for (uint32_t i = 0; i < f->nr_sources; i++)
		write_source(w, i);
	if (f->nr_blocks)
		write_blocks(w);
	strbuf_adds(&w->text, "</section>\n");
	flush(w);
}

static void write_head(struct html_writer *w, const char *title)
{
	strbuf_addf(&w->text,
		"<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n"
		"<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" "
		"content=\"%.*s\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
		"<title>",
		(int)strcspn(policy, "\n"), policy);
	add_text(w, title);
	strbuf_addf(&w->text, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", style);
	add_text(w, title);
	strbuf_adds(&w->text, "</h1>\n<nav><ol>\n");
	for (size_t i = 0; i < w->a->nr; i++) {
		const struct annotated *f = &w->a->list[i];

		strbuf_addf(&w->text, "<li><a href=\"#f%zu\">", i);
		add_text(w, f->name);
		strbuf_adds(&w->text, "</a> ");
		percent_add(&w->text, f->self, w->a->recorded.weight);
		strbuf_adds(&w->text, " %</li>\n");
	}
	strbuf_adds(&w->text, "</ol></nav>\n");
}

int annotate_html(struct annotation *a, const char *title, FILE *out, struct strbuf *err)
{
	struct html_writer w = {.a = a, .out = out, .text = STRBUF_INIT, .raw = STRBUF_INIT};

	write_head(&w, title);
	for (size_t i = 0; i < a->nr; i++) {
		w.f = &a->list[i];
		w.base = listing_base(w.f);
		write_function(&w, i);
	}
	strbuf_adds(&w.text, "</body>\n</html>\n");
	flush(&w);
	strbuf_release(&w.text);
	strbuf_release(&w.raw);
	free(w.insns);
	return written(out, err);
}
