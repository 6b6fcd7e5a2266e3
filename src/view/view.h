/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From any input that we know to a call tree, and from the call tree to what people look at.
 * Writers return -1 with a message in ERR when OUT cannot be written; the same tree gives the same
 * bytes.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "model/profile.h"
#include "model/recording.h"
#include "symbol/resolve.h"

#include <stdio.h>

struct diff;
struct pattern;
struct rules;
struct strbuf;

struct input_options {
	struct recording_view view;
	struct symbol_options symbol;
	const char *event; /* of perf script, NULL: the first one */
	bool samples;      /* those of perf script count 1 each, whatever their period */
};

/*
 * Adds the file at PATH ("-": stdin) to P, whatever it is: recording, our own picture, folded, text
 * of stap scripts, perf script, bpftrace, bcc; tells which by looking. Where it names
 * tasks, they are the root frames, and states the leaves: input_settle, demangle_profiles and
 * profile_finish are the caller's. 0: all of it; 1: a part (incomplete recording, lines that could
 * not be read: counted in the account, said in ERR); -1: nothing.
 */
int input_read(struct profile *p, const char *path, const struct input_options *options,
	struct strbuf *err);

/*
 * What was read is one of N profiles that are looked at together: tasks stay in all of them if VIEW
 * has comm or threads or one of them has several processes (an input has, or it has other tasks
 * than those before it), states of recordings if they differ.
 */
void input_settle(struct profile *const *profiles, size_t n, const struct recording_view *view);

/*
 * The same for a program that has a recording in hand: with symbols, only the tasks and states that
 * its own rows need. P was just initialised.
 */
void input_recording(struct profile *p, struct recording *rec, const struct input_options *options,
	struct strbuf *notes);

/* Folded lines, sorted by their bytes. */
int view_folded(const struct profile *p, FILE *out, struct strbuf *err);

enum { FLAME_WIDTH_MIN = 100, FLAME_WIDTH_MAX = 100000 }; /* px */
enum min_width { MIN_WIDTH_AUTO, MIN_WIDTH_PX, MIN_WIDTH_PERCENT };
struct flame_options {
	const char *title;         /* NULL: the profile's */
	const char *subtitle;      /* NULL: none */
	const char *notes;         /* for those who read the file, NULL: none */
	const struct rules *rules; /* NULL: the built-in ones */
	enum min_width min_width_is;
	double min_width; /* of a frame in the picture without script, px or per cent of all */
	double factor;    /* shown weights are multiplied by it; 0: they are as they are */
	const char *unit; /* of the weights that are shown, NULL: the profile's */
	unsigned width;   /* px */
	bool inverted;    /* root on top */
};
int view_flame(const struct profile *p, const struct flame_options *options, FILE *out,
	struct strbuf *err);
int view_flame_diff(const struct diff *diff, const struct flame_options *options, FILE *out,
	struct strbuf *err);

/* The Content-Security-Policy under which these files are whole and nothing else runs. */
extern const char view_flame_policy[];

enum report_of { REPORT_FUNCTIONS, REPORT_CATEGORIES, REPORT_CALLERS, REPORT_CALLEES };
enum report_form { REPORT_CSV, REPORT_TEXT, REPORT_JSON };
struct report_options {
	enum report_of of;
	enum report_form form;
	const struct pattern *fn;  /* whose callers or callees */
	unsigned top;              /* so many rows of text; 0: all */
	const struct rules *rules; /* NULL: the built-in ones */
};
/* Without options profile.csv; of categories summary.csv. */
int view_report(const struct profile *p, const struct report_options *options, FILE *out,
	struct strbuf *err);

/*
 * For other programs: pprof's profile.proto, compressed, and speedscope's JSON. Weights that their
 * numbers cannot hold are divided by a power of two, which the profile then says.
 */
int view_pprof(const struct profile *p, FILE *out, struct strbuf *err);
int view_speedscope(const struct profile *p, FILE *out, struct strbuf *err);

/* Text backtraces in the classic form of stap scripts, leaf first, heaviest stack first. */
int view_bt(const struct recording *rec, const struct recording_view *view, enum demangle how,
	FILE *out, struct strbuf *err);

#endif
