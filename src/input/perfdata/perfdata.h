/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what perf record writes, to a file or a pipe, in bounded memory: samples become rows of a
 * recording at once. Stacks that perf has copied are unwound.
 */
#ifndef INPUT_PERFDATA_PERFDATA_H
#define INPUT_PERFDATA_PERFDATA_H

#include "symbol/elf/debugfile.h"

#include <stdbool.h>
#include <stddef.h>

struct label_filter;
struct lines;
struct recording;
struct strbuf;

struct perfdata_options {
	struct debug_paths paths; /* of the files that stacks need */
	const char *folder;       /* which perf record made in place of a file, or NULL */
	bool samples;             /* each sample counts as 1, whatever its period */
	bool branches;            /* keep the branches of samples */
	/* What names the fields of tracepoints that become labels; both may be NULL. */
	const char *by;
	const struct label_filter *labels;
};

/* Whether an input that begins with these N bytes is perf.data. */
bool perfdata_is_head(const char *bytes, size_t n);

/*
 * Reads LINES into REC, which was just initialised. Returns -1 with a message in NOTES if nothing
 * can be used. If the end is missing, REC has all that is before it, and is not complete.
 */
int perfdata_read(struct recording *rec, struct lines *lines,
	const struct perfdata_options *options, struct strbuf *notes);

#endif
