/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of downloads on stderr, if they take longer than a moment. It is a line that is updated
 * on a terminal, otherwise one line at the start, and in both cases a line at the end.
 */
#ifndef SYMBOL_FETCH_PROGRESS_H
#define SYMBOL_FETCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool enabled, terminal, shown;
	int64_t began_ns, shown_ns;
};

struct progress_sums {
	size_t files, started, found;
	uint64_t bytes, total; /* of the files that were started; total is 0 if it is not known */
	const char *name;      /* a file that is being downloaded, or NULL if there is none */
	const char *server;    /* the server of that file, or "" if it is not known yet */
};

void progress_begin(struct progress *progress, bool enabled);
void progress_show(struct progress *progress, const struct progress_sums *sums);
void progress_end(const struct progress *progress, const struct progress_sums *sums);

#endif
