/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text formats of stacks that can be read. To add one, write a file that defines a struct
 * text_format, and add a row in text_format.c.
 */
#ifndef INPUT_TEXT_FORMAT_H
#define INPUT_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct label_filter;
struct lines;
struct profile;
struct strbuf;

/* Readers ignore options that do not apply to their format. */
struct text_options {
	bool sources;      /* frames have a FILE:LINE, without folder */
	bool threads;      /* a task is COMM/TID */
	bool processes;    /* it is COMM/PID */
	bool samples;      /* each sample counts 1, whatever its period */
	const char *event; /* the event, map or sample type to read; NULL: the first one */
	const struct label_filter *labels; /* only samples that match; NULL: all */
	const char *by;  /* the value of this label is the root frame; NULL: none */
	bool places;     /* frames have their place (model/place.h) */
	bool label_sets; /* stacks end in a frame for the sample's labels */
};

struct text_input {
	struct lines *lines;
	const struct text_options *options;
	struct profile *p;
	struct strbuf *notes; /* messages about input that could not be read, one per line */
	bool several;         /* set by the reader: the samples are of several processes */
};

struct text_format {
	const char *name;
	/*
	 * A format is detected by the first bytes, if it has is_head, or by lines, without trailing
	 * blanks and without comments: each adds VOTES of the first format whose is_line is true,
	 * or TEXT_SURE if its is_title is; the format with most votes is used, the first one if
	 * there are several. Most lines must be of this format: is_line, is_title or is_part, which
	 * is true for lines that other formats may have as well. Only is_line need not be NULL.
	 */
	bool (*is_head)(const char *bytes, size_t n);
	bool (*is_line)(const char *line, size_t len);
	bool (*is_title)(const char *line, size_t len);
	bool (*is_part)(const char *line, size_t len);
	size_t votes;
	bool has_meta; /* it has tasks and a unit: it needs a profile of its own */
	/*
	 * Adds the stacks to the profile; those left out are in its account's lost[] and in the
	 * notes. 0: all of it was read, 1: a part, -1: it cannot be used, or reading failed.
	 */
	int (*read)(struct text_input *in);
};

/* Bytes to detect the format from, if there are so many, so at most as many lines; votes that
 * outweigh all others. */
enum { TEXT_HEAD = 1 << 16, TEXT_SURE = TEXT_HEAD };

extern const struct text_format bcc_format, bpftrace_format, folded_format, perfscript_format,
	picture_format, pprof_format, speedscope_format, stacktext_format;

/* The format of the text that begins with these N bytes; NULL: unknown, *WHY is a message. */
const struct text_format *text_format_of(const char *bytes, size_t n, const char **why);

/* Whether a line of a text format is a comment: "# …". */
bool text_is_comment(const char *line, size_t len);

#endif
