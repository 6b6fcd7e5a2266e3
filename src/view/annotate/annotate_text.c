/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/terminal.h"
#include "lib/util.h"
#include "listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_MIN = 5, NUMBER = 6 }; /* columns of weights; columns of line numbers */

struct text_writer {
	struct annotation *a;
	const struct annotated *f;
	struct listing_base base;
	FILE *out;
	bool colour;
	int width; /* columns of a weight */
	struct strbuf text;
};

static int width_of(uint64_t n)
{
	int width = snprintf(NULL, 0, "%" PRIu64, n);

	return width > WIDTH_MIN ? width : WIDTH_MIN;
}

/* As in perf, a share of 5 % is hot, a share of 0.5 % is warm. */
static void set_colour(const struct text_writer *w, uint64_t weight)
{
	if (!w->colour)
		return;
	if (weight * 20.0 >= w->base.all)
		terminal_colour(TERMINAL_RED);
	else if (weight * 200.0 >= w->base.all)
		terminal_colour(TERMINAL_GREEN);
}

static void add_number(struct text_writer *w, uint64_t n)
{
	if (n)
		strbuf_addf(&w->text, " %*" PRIu64, w->width, n);
	else
		strbuf_addf(&w->text, " %*s", w->width, "");
}

/* Writes the three columns of weights. */
static void write_weights(struct text_writer *w, uint32_t counter)
{
	struct counter c = annotation_weights(w->a, counter);
	uint64_t weight = listing_weight(&w->base, &c);
	struct strbuf percent = STRBUF_INIT;

	strbuf_reset(&w->text);
	if (weight)
		percent_add(&percent, weight, w->base.all);
	strbuf_addf(&w->text, "%6s", percent.buf);
	add_number(w, c.self);
	add_number(w, c.total);
	if (weight)
		set_colour(w, weight);
	strbuf_flush(&w->text, w->out);
	if (weight && w->colour)
		terminal_colour(TERMINAL_PLAIN);
	strbuf_release(&percent);
}

/* Ends the line with the text, without blanks at its end. Names and sources are untrusted. */
static void end_line(struct text_writer *w)
{
	struct strbuf line = STRBUF_INIT;

	while (w->text.len && w->text.buf[w->text.len - 1] == ' ')
		w->text.len--;
	terminal_add(&line, w->text.buf, w->text.len, SIZE_MAX);
	strbuf_addch(&line, '\n');
	strbuf_flush(&line, w->out);
	strbuf_reset(&w->text);
	strbuf_release(&line);
}

static void write_head(struct text_writer *w, const char *what)
{
	strbuf_addf(&w->text, "%6s %*s %*s  %s", w->base.of_total ? "% tot." : "% self", w->width,
		"self", w->width, "total", what);
	end_line(w);
}

static void add_line(struct text_writer *w, const struct source_file *file, uint32_t line)
{
	size_t len;
	const char *s = source_file_line(file, line, &len);

	strbuf_addf(&w->text, "  %*" PRIu32 "  ", NUMBER, line);
	listing_add_source(&w->text, s, len);
	end_line(w);
}

static void write_calls(struct text_writer *w, const struct annotated_line *line)
{
	size_t nr;
	uint32_t *calls = listing_calls(w->a, line, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct annotated_call *call = &w->a->calls[calls[i]];

		write_weights(w, call->counter);
		strbuf_addf(&w->text, "  %*s  inlined: ", NUMBER, "");
		listing_add_call(w->a, call, &w->text);
		end_line(w);
	}
	free(calls);
}

static void write_source(struct text_writer *w, const struct annotated_source *s)
{
	const struct source_file *file = &w->a->sources[s->file];
	const char *path = file->text ? file->found : file->path;
	bool gap = false;
	size_t at = 0;

	end_line(w);
	if (strcmp(path, w->f->name)) {
		strbuf_adds(&w->text, path);
		end_line(w);
	}
	write_head(w, "  line");
	for (uint32_t n = 0; (n = listing_next(w->a, s, n));) {
		const struct annotated_line *line = listing_line(s, n);

		if (!(file->text ? listing_shows(s, n, &at)
				 : line && line->counter != NO_COUNTER)) {
			if (!gap && file->text) {
				strbuf_addf(&w->text, "%*s...", 2 * w->width + 10, "");
				end_line(w);
			}
			gap = true;
			continue;
		}
		gap = false;
		write_weights(w, line ? line->counter : NO_COUNTER);
		add_line(w, file, n);
		if (line)
			write_calls(w, line);
	}
}

static const struct source_file *source_of(
	const struct text_writer *w, const char *path, const char *program)
{
	for (size_t i = 0; i < w->a->nr_sources; i++)
		if (!strcmp(w->a->sources[i].path, path) && w->a->sources[i].program == program)
			return &w->a->sources[i];
	return NULL;
}

/* Writes the source line of the instructions that follow. */
static void write_line_of(
	struct text_writer *w, const struct annotated_block *b, const struct code_frame *frame)
{
	const struct code_file *code = &w->a->code.list[b->file];
	const char *path = strpool_get(&code->code.strings, frame->file);
	const struct source_file *file = source_of(w, path, code->path);
	size_t len = 0;
	const char *s = file ? source_file_line(file, frame->line, &len) : "";

	strbuf_addf(&w->text, "%*s%s:%" PRIu32 "  ", 2 * w->width + 10, "", file_name(path),
		frame->line);
	listing_add_source(&w->text, s, len);
	end_line(w);
}

static void write_block(struct text_writer *w, const struct annotated_block *b)
{
	const struct code_file *code = &w->a->code.list[b->file];
	const struct code_frame *last = NULL;

	for (uint32_t i = b->first; i < b->first + b->nr; i++) {
		const struct code_frame *frame = annotation_frame(w->a, w->f, b, i);

		if (frame && frame->file && frame->line &&
			(!last || last->file != frame->file || last->line != frame->line))
			write_line_of(w, b, last = frame);
		write_weights(w, w->a->counters[b->file][i]);
		strbuf_addf(&w->text, "  %8" PRIx64 "  ", code->code.insns[i].address);
		listing_add_insn(w->a, b->file, i, &w->text);
		end_line(w);
	}
}

static void write_blocks(struct text_writer *w)
{
	for (size_t i = 0; i < w->f->nr_blocks; i++) {
		const struct annotated_block *b = &w->f->blocks[i];

		end_line(w);
		if (b->into != w->f->function && b->into != NO_FUNCTION) {
			strbuf_addf(&w->text, "inlined into %s",
				recorded_name(&w->a->recorded, b->into));
			end_line(w);
		}
		write_head(w, " address  instruction");
		write_block(w, b);
	}
}

static void write_function(struct text_writer *w, bool instructions)
{
	const struct annotated *f = w->f;
	struct strbuf lack = STRBUF_INIT;

	strbuf_addf(&w->text, "%s  %s", f->name, f->module);
	end_line(w);
	listing_add_share(w->a, f, &w->text);
	end_line(w);
	listing_add_lack(w->a, f, &lack);
	instructions |= !listing_has_text(w->a, f);
	instructions &= f->nr_blocks > 0;
	fputs(lack.buf, w->out);
	for (size_t i = 0; !instructions && i < f->nr_sources; i++)
		write_source(w, &f->sources[i]);
	if (instructions)
		write_blocks(w);
	strbuf_release(&lack);
}

int annotate_text(struct annotation *a, bool instructions, FILE *out, struct strbuf *err)
{
	struct text_writer w = {
		.a = a,
		.out = out,
		.colour = terminal_has_colour(out),
		.width = width_of(a->recorded.weight),
		.text = STRBUF_INIT,
	};

	for (size_t i = 0; i < a->nr; i++) {
		w.f = &a->list[i];
		w.base = listing_base(w.f);
		if (i)
			fputc('\n', out);
		write_function(&w, instructions);
	}
	strbuf_release(&w.text);
	return written(out, err);
}
