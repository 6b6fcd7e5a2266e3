/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_format.h"
#include "lib/util.h"
#include "other_formats.h"

#include <string.h>

static const struct text_format *const formats[] = {
	&picture_format,
	&speedscope_format,
	&otlp_format,
	&pprof_format,
	&bpftrace_format,
	&graph_format,
	&bcc_format,
	&perfscript_format,
	&stacktext_format,
	&folded_format,
};

/*
 * Removes blanks and carriage returns from the end of a line. Returns false if nothing is left, or
 * if the line is a comment.
 */
static bool trim(const char *line, size_t *len)
{
	while (*len && (is_blank(line[*len - 1]) || line[*len - 1] == '\r'))
		--*len;
	return *len && !text_is_comment(line, *len);
}

static void vote(const char *line, size_t len, size_t votes[])
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (formats[i]->is_title && formats[i]->is_title(line, len)) {
			votes[i] += TEXT_SURE;
			return;
		}
		if (formats[i]->is_line && formats[i]->is_line(line, len)) {
			votes[i] += formats[i]->votes;
			return;
		}
	}
}

static bool is_of(const struct text_format *f, const char *line, size_t len)
{
	return f->is_line(line, len) || (f->is_title && f->is_title(line, len)) ||
	       (f->is_part && f->is_part(line, len));
}

/* The lines of a text. */
struct text_lines {
	const char *at, *end;
};

static bool next_line(struct text_lines *t, const char **line, size_t *len)
{
	while (t->at < t->end) {
		const char *nl = memchr(t->at, '\n', (size_t)(t->end - t->at));

		*line = t->at;
		*len = (size_t)((nl ? nl : t->end) - t->at);
		t->at = nl ? nl + 1 : t->end;
		if (trim(*line, len))
			return true;
	}
	return false;
}

static bool most_are_of(const struct text_format *f, struct text_lines t)
{
	bool cut = t.end - t.at >= TEXT_HEAD;
	const char *line;
	size_t len, all = 0, fitting = 0;

	while (next_line(&t, &line, &len)) {
		if (cut && all && line + len == t.end)
			break;
		all++;
		fitting += is_of(f, line, len);
	}
	return fitting > all / 2;
}

/*
 * Returns the format with most votes. Returns NULL if there is none, or if most lines are not in
 * this format.
 */
static const struct text_format *elect(struct text_lines t)
{
	size_t votes[ARRAY_LEN(formats)] = {0}, best = 0, len;
	struct text_lines rest = t;
	const char *line;

	while (next_line(&rest, &line, &len))
		vote(line, len, votes);
	for (size_t i = 1; i < ARRAY_LEN(formats); i++)
		if (votes[i] > votes[best])
			best = i;
	return votes[best] && most_are_of(formats[best], t) ? formats[best] : NULL;
}

bool text_is_comment(const char *line, size_t len)
{
	return len && *line == '#' && (len == 1 || is_blank(line[1]));
}

const struct text_format *text_format_of(const char *bytes, size_t n, const char **why)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (formats[i]->is_head && formats[i]->is_head(bytes, n))
			return formats[i];
	*why = other_format_why(bytes, n);
	if (*why)
		return NULL;
	*why = "it is neither a recording nor folded stacks nor backtraces with counts";
	return elect((struct text_lines){bytes, bytes + n});
}
