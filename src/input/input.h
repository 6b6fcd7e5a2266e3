/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads all formats into a call tree. The addresses of recordings get names, in this one place for
 * all views.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "model/profile.h"
#include "model/recording.h"
#include "model/time_range.h"
#include "symbol/resolve.h"

struct strbuf;

struct input_options {
	struct recording_view view;
	struct symbol_options symbol;
	const char *event;      /* of a file with several events, or NULL for the first one */
	struct time_range time; /* of recordings with slices */
	const char *folder;     /* set by input_read: the folder that perf record made, or NULL */
	bool samples;           /* perf script: each sample counts as 1, whatever its period */
	/* Other inputs than recordings and perf.data are refused; perf.data has its branches. */
	bool of_code;
};

/*
 * Adds the file at PATH, the perf.data in the folder PATH, or stdin if it is "-", to P. "@FROM-TO"
 * behind the path selects a time in place of the time in OPTIONS, unless there is a file of that
 * name. The format is detected from the content: recording, perf.data, our own flame graph, folded
 * stacks, pprof, speedscope, output of stap scripts, perf script, bpftrace, bcc. All of these may
 * be compressed with gzip or zstd. Tasks, if known, become root frames, and states become leaves.
 * The caller then calls input_settle, demangle_profiles and profile_finish. Returns 0 if all of it
 * was read, 1 if a part was read (incomplete recording or invalid lines, see the account and ERR),
 * or -1 if nothing was read.
 */
int input_read(struct profile *p, const char *path, const struct input_options *options,
	struct strbuf *err);

/*
 * Reads the part of a recording that OPTIONS select, for programs that need more than a profile.
 * REC was just initialised. Returns the same as input_read().
 */
int input_read_recording(struct recording *rec, const char *path,
	const struct input_options *options, struct strbuf *err);

/*
 * Makes VIEW show the event of REC that is called NAME, or leaves it as it is if NAME is NULL.
 * Returns -1 with a message if there is no such event.
 */
int input_choose_event(const struct recording *rec, const char *name, struct recording_view *view,
	struct strbuf *err);

/*
 * Must be called after all input was read into N profiles that are shown together. Removes task
 * frames unless VIEW has comm, threads or processes, or one of the profiles has several processes,
 * because one of its inputs has several or its inputs have different tasks. Removes states unless
 * they differ.
 */
void input_settle(struct profile *const *profiles, size_t n, const struct recording_view *view);

/*
 * Converts a recording in memory to a profile, and resolves symbols. Adds only the tasks and states
 * that its own rows need, so input_settle is not needed. P was just initialised. REPORT gets what
 * symbol_resolve() reports.
 */
void input_recording(struct profile *p, struct recording *rec, const struct input_options *options,
	struct symbol_report *report, struct strbuf *notes);

#endif
