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
	bool processes;    /* a task is COMM/PID */
	bool samples;      /* each sample counts 1, whatever its period */
	const char *event; /* the event, map or sample type to read, or NULL for the default */
	const struct label_filter *labels; /* only matching samples are read, or all if NULL */
	const struct label_filter *tasks;  /* the same, of tasks (model/task_filter.h) */
	const char *by;                    /* label whose value is the root frame, or NULL */
	bool places;                       /* frames have their place (model/place.h) */
	bool label_sets;                   /* stacks end in a frame for the sample's labels */
};

struct text_input {
	struct lines *lines;
	const struct text_options *options;
	struct profile *p;
	struct strbuf *notes; /* messages about input that could not be read, one per line */
	bool several;         /* set by the reader if the samples belong to several processes */
};

struct text_format {
	const char *name;
	/*
	 * A format that has is_head is detected by the first bytes. Other formats are detected by
	 * lines, without trailing blanks and without comments. A line counts for the first format
	 * whose is_line is true, which gets VOTES, or whose is_title is true, which gets TEXT_SURE.
	 * The format with most votes is used, or the first such format. Most lines must have this
	 * format by is_line, is_title or is_part, which is true for lines that other formats may
	 * have as well. A format needs is_head or is_line; other functions may be NULL.
	 */
	bool (*is_head)(const char *bytes, size_t n);
	bool (*is_line)(const char *line, size_t len);
	bool (*is_title)(const char *line, size_t len);
	bool (*is_part)(const char *line, size_t len);
	size_t votes;
	bool has_meta;  /* it has tasks and a unit, and needs a profile of its own */
	bool has_tasks; /* its reader selects tasks */
	/*
	 * Adds the stacks to the profile. Stacks left out are counted in lost[] of its account and
	 * in the notes. Returns 0 if all of the input was read, 1 if a part of it was read, or -1
	 * if the input cannot be used or reading failed.
	 */
	int (*read)(struct text_input *in);
};

/*
 * The format is detected from the first TEXT_HEAD bytes, and so from at most as many lines.
 * TEXT_SURE votes outweigh all others.
 */
enum { TEXT_HEAD = 1 << 16, TEXT_SURE = TEXT_HEAD };

extern const struct text_format bcc_format, bpftrace_format, folded_format, graph_format,
	otlp_format, perfscript_format, picture_format, pprof_format, speedscope_format,
	stacktext_format;

/*
 * Returns the format of the text that begins with these N bytes. Returns NULL and a message in *WHY
 * if it is unknown.
 */
const struct text_format *text_format_of(const char *bytes, size_t n, const char **why);

/* Whether a line of a text format is a comment: "# …". */
bool text_is_comment(const char *line, size_t len);

#endif
