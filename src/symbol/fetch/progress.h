/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people see of files that are fetched, on stderr, once it takes longer than a moment: a line
 * that changes on a terminal, else a line; and one at the end.
 */
#ifndef SYMBOL_FETCH_PROGRESS_H
#define SYMBOL_FETCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
	bool wanted, terminal, any;
	int64_t began_ns, shown_ns;
};

struct progress_sums {
	size_t files, begun, found;
	uint64_t bytes, total; /* of those begun; total 0: not known */
	const char *name;      /* a file that is on its way; NULL: none is */
	const char *server;    /* its server, "": not known yet */
};

void progress_begin(struct progress *progress, bool wanted);
void progress_show(struct progress *progress, const struct progress_sums *sums);
void progress_end(const struct progress *progress, const struct progress_sums *sums);

#endif
