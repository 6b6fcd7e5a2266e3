/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers of views of a call tree. They return -1 with a message in ERR if OUT cannot be written,
 * and write the same bytes for the same tree.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "model/profile.h"
#include "model/recording.h"
#include "report/report_keys.h"
#include "symbol/names/demangle.h"

#include <stdio.h>

struct diff;
struct function_match;
struct rules;
struct strbuf;

/*
 * Writes folded lines, sorted by their bytes. Frames with the same text, such as functions of two
 * modules, become one: the weights of lines are known only here.
 */
int view_folded(const struct profile *p, FILE *out, struct strbuf *err);

enum { FLAME_WIDTH_MIN = 100, FLAME_WIDTH_MAX = 100000 }; /* px */
enum min_width { MIN_WIDTH_AUTO, MIN_WIDTH_PX, MIN_WIDTH_PERCENT };
struct flame_options {
	const char *title;         /* NULL for the profile's title */
	const char *subtitle;      /* NULL if there is none */
	const char *notes;         /* text for readers of the file, or NULL */
	const struct rules *rules; /* NULL for the built-in rules */
	enum min_width min_width_is;
	double min_width; /* of a frame in the static picture, in px or per cent of the total */
	double factor;    /* factor of the shown weights; 0 means 1 */
	const char *unit; /* unit of the shown weights, or NULL for the profile's unit */
	unsigned width;   /* px */
	bool inverted;    /* the root is on top */
};
int view_flame(const struct profile *p, const struct flame_options *options, FILE *out,
	struct strbuf *err);
int view_flame_diff(const struct diff *diff, const struct flame_options *options, FILE *out,
	struct strbuf *err);

/* The Content-Security-Policy that allows the script and style of these files and nothing else. */
extern const char view_flame_policy[];

enum report_of {
	REPORT_FUNCTIONS,
	REPORT_CATEGORIES,
	REPORT_CALLERS,
	REPORT_CALLEES,
	REPORT_GROUPS, /* by keys: module, source file … */
};
enum report_sort { SORT_SELF, SORT_INCLUSIVE, SORT_NAME };
enum report_form { REPORT_DEFAULT, REPORT_CSV, REPORT_TEXT, REPORT_JSON }; /* default: CSV */
struct report_options {
	enum report_of of;
	enum report_form form;
	const struct function_match *fn; /* functions whose callers or callees are listed */
	struct report_keys keys;         /* of groups */
	enum report_sort sort;
	bool short_names;          /* of functions, in text (symbol/names/short_name.h) */
	unsigned top;              /* maximum number of rows, or 0 for all */
	const struct rules *rules; /* NULL for the built-in rules */
};
/* Writes a report. The default options give profile.csv, and categories give summary.csv. */
int view_report(const struct profile *p, const struct report_options *options, FILE *out,
	struct strbuf *err);

/*
 * Write formats for other programs: pprof's profile.proto, compressed, OpenTelemetry's profiles
 * (OTLP), the message of a request and of a file, speedscope's JSON, and the Firefox profiler's,
 * whose threads are the task frames at the root.
 * Weights beyond the range of the format are divided by a power of two, which is added to the
 * title.
 */
int view_pprof(const struct profile *p, FILE *out, struct strbuf *err);
int view_otlp(const struct profile *p, FILE *out, struct strbuf *err);
int view_speedscope(const struct profile *p, FILE *out, struct strbuf *err);
int view_firefox(const struct profile *p, FILE *out, struct strbuf *err);

/* Writes backtraces in the format of stap scripts, leaf first, heaviest stack first. */
int view_bt(const struct recording *rec, const struct recording_view *view, enum demangle how,
	FILE *out, struct strbuf *err);

#endif
