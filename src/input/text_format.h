/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forms of stacks in text that can be read. A new one is a file that defines a struct
 * text_format, and a row in text_format.c.
 */
#ifndef INPUT_TEXT_FORMAT_H
#define INPUT_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct lines;
struct profile;
struct strbuf;

/* A reader ignores those that its form has nothing for. */
struct text_options {
	bool sources;      /* frames are told apart by their FILE:LINE, without its folder */
	bool threads;      /* a task is COMM/TID */
	bool samples;      /* each sample counts 1, whatever its period */
	const char *event; /* which samples or which map; NULL: those of the first event */
};

struct text_input {
	struct lines *lines;
	const struct text_options *options;
	struct profile *p;
	struct strbuf *notes; /* what could not be read, one message a line */
	bool several;         /* set by the reader: the samples are of several processes */
};

struct text_format {
	const char *name;
	/*
	 * It is known by its first bytes, where there is is_head, or by its lines: a line, without
	 * blanks at its end, speaks for the first format that it looks like, with so many votes
	 * as that sort of line is sure; most votes win, the first one of several.
	 */
	bool (*is_head)(const char *bytes, size_t n);
	bool (*is_line)(const char *line, size_t len);
	size_t votes;
	bool has_meta; /* it tells its tasks and unit: it needs a profile of its own */
	/*
	 * Adds the stacks to the profile; what is left out is in its account's lost[] and in the
	 * notes. 0: all of it was read, 1: a part, -1: it cannot be used, or reading failed.
	 */
	int (*read)(struct text_input *in);
};

enum { TEXT_SURE = 1 << 16 }; /* votes that nothing outweighs */

extern const struct text_format bcc_format, bpftrace_format, folded_format, perfscript_format,
	picture_format, stacktext_format;

/* That of the text which begins with these N bytes; NULL: it is none of them, and *WHY says so. */
const struct text_format *text_format_of(const char *bytes, size_t n, const char **why);

#endif
