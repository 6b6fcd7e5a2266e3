/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listing.h"
#include "lib/percent.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/word.h"
#include "symbol/names/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	NEAR = 4, /* lines that are shown around code */
	TAB = 8,  /* columns */
	ABOVE = 2,
	BELOW = 1,
	MIXED = 4,
};

struct listing_base listing_base(const struct annotated *f)
{
	/* in mixed stacks, the interpreter's C functions have nearly all of the self weight */
	bool of_total = f->by_lines ? f->self < f->total / MIXED : !f->self;

	return (struct listing_base){of_total ? f->total : f->self, of_total};
}

uint64_t listing_weight(const struct listing_base *base, const struct counter *c)
{
	return base->of_total ? c->total : c->self;
}

void listing_add_share(const struct annotation *a, const struct annotated *f, struct strbuf *out)
{
	percent_add(out, f->self, a->recorded.weight);
	strbuf_adds(out, " % self, ");
	percent_add(out, f->total, a->recorded.weight);
	strbuf_addf(out, " %% with callees, of %" PRIu64 " %s", a->recorded.weight, a->unit);
}

/* Returns the next line with code after LINE, or 0 if there is none. */
static uint32_t next_with_code(const struct annotated_source *s, uint32_t line)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s->lines[middle].line > line)
			high = middle;
		else
			low = middle + 1;
	}
	return low < s->nr ? s->lines[low].line : 0;
}

uint32_t listing_next(const struct annotation *a, const struct annotated_source *s, uint32_t line)
{
	const struct source_file *file = &a->sources[s->file];
	uint32_t first = next_with_code(s, 0), last = s->nr ? s->lines[s->nr - 1].line : 0;
	uint64_t next = line ? line + 1ULL : first > ABOVE ? first - ABOVE : 1;
	uint64_t end = last + (uint64_t)BELOW <= file->nr_lines ? last + (uint64_t)BELOW : last;

	if (file->text && s->nr && next <= end && next <= file->nr_lines)
		return (uint32_t)next;
	return next_with_code(s, line);
}

bool listing_shows(const struct annotated_source *s, uint32_t line, size_t *at)
{
	while (*at + 1 < s->nr && s->lines[*at + 1].line <= line)
		++*at;
	uint32_t before = s->lines[*at].line;
	uint32_t after = *at + 1 < s->nr ? s->lines[*at + 1].line : before;

	return (line >= before ? line - before : before - line) <= NEAR ||
	       (after >= line && after - line <= NEAR);
}

static int compare_lines(const void *a, const void *b)
{
	const struct annotated_line *x = a, *y = b;

	return compare_u64(x->line, y->line);
}

const struct annotated_line *listing_line(const struct annotated_source *s, uint32_t line)
{
	const struct annotated_line key = {.line = line};

	return bsearch(&key, s->lines, s->nr, sizeof(key), compare_lines);
}

static const struct annotation *sorted; /* for compare_calls() */

static int compare_calls(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	struct counter i = annotation_weights(sorted, sorted->calls[x].counter);
	struct counter k = annotation_weights(sorted, sorted->calls[y].counter);
	int order = compare_u64(k.self, i.self);

	if (!order)
		order = compare_u64(k.total, i.total);
	return order ? order : compare_u64(x, y);
}

uint32_t *listing_calls(const struct annotation *a, const struct annotated_line *line, size_t *nr)
{
	uint32_t *list;

	*nr = 0;
	for (uint32_t i = line->calls; i; i = a->calls[i - 1].next)
		++*nr;
	list = xcalloc(*nr, sizeof(*list));
	*nr = 0;
	for (uint32_t i = line->calls; i; i = a->calls[i - 1].next)
		list[(*nr)++] = i - 1;
	sorted = a;
	if (*nr)
		qsort(list, *nr, sizeof(*list), compare_calls);
	return list;
}

void listing_add_call(
	const struct annotation *a, const struct annotated_call *call, struct strbuf *out)
{
	strbuf_adds(out, strpool_get(&a->texts, call->function));
	if (call->innermost != call->function)
		strbuf_addf(out, " > %s", strpool_get(&a->texts, call->innermost));
	if (call->file)
		strbuf_addf(out, "  %s:%" PRIu32, file_name(strpool_get(&a->texts, call->file)),
			call->line);
}

void listing_add_insn(struct annotation *a, uint32_t file, uint32_t insn, struct strbuf *out)
{
	const struct code *code = &a->code.list[file].code;
	const struct code_insn *i = &code->insns[insn];

	strbuf_adds(out, strpool_get(&code->strings, i->text));
	if (!i->target)
		return;
	strbuf_addf(
		out, " <%s%s", annotation_name(a, file, i->target), i->target_is_plt ? "@plt" : "");
	if (i->target_offset)
		strbuf_addf(out, "+0x%" PRIx64, i->target_offset);
	strbuf_addch(out, '>');
}

void listing_add_source(struct strbuf *out, const char *s, size_t len)
{
	size_t column = 0;

	for (size_t i = 0; i < len; i++) {
		size_t blanks = s[i] == '\t' ? TAB - column % TAB : 0;

		if (blanks)
			strbuf_addf(out, "%*s", (int)blanks, "");
		else
			strbuf_addch(out, s[i]);
		/* a byte inside of a character takes no column */
		column += blanks ? blanks : ((unsigned char)s[i] & 0xc0) != 0x80;
	}
}

bool listing_has_text(const struct annotation *a, const struct annotated *f)
{
	for (size_t i = 0; i < f->nr_sources; i++)
		if (a->sources[f->sources[i].file].text)
			return true;
	return false;
}

void listing_add_lack(const struct annotation *a, const struct annotated *f, struct strbuf *out)
{
	if (f->why)
		strbuf_addf(out, "%s\n", f->why);
	if (!f->nr_sources && f->nr_blocks) {
		strbuf_adds(out, "no source lines: ");
		message_add_path(out, a->code.list[f->blocks->file].path);
		strbuf_adds(
			out, a->code.list[f->blocks->file].code.header.about.lack == DEBUG_LACK_ZSTD
				     ? " has debug information that is compressed with zstd, "
				       "which the installed libelf cannot read\n"
				     : " has no debug information for it\n");
	}
	for (size_t i = 0; i < f->nr_sources; i++) {
		const struct source_file *file = &a->sources[f->sources[i].file];

		if (file->why)
			strbuf_addf(out, "%s\n", file->why);
		if (file->late && file->text) {
			message_add_path(out, file->found);
			strbuf_adds(out, " was changed after its process had begun, which may have "
					 "executed the version before\n");
		}
		if (file->nr_blobs > 1) {
			message_add_path(out, file->path);
			strbuf_addf(out,
				" was not the same in all processes: the samples of %zu versions "
				"are added up by line\n",
				file->nr_blobs);
		}
	}
}
