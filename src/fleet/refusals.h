/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The windows that the server did not take, which do not hold up the others: it refuses them, or
 * has an error at them. An outage hits all windows, and all are kept. A window is set aside after
 * some trials that tell that it is the reason itself, as the server took others between them: some
 * more after an error, since a server in trouble may take a window and fail at the next one.
 */
#ifndef FLEET_REFUSALS_H
#define FLEET_REFUSALS_H

#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/trouble.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool_file;
struct spool_list;

struct refusals {
	struct table by_path; /* hash of a window's path -> its index in the list */
	struct refusal {
		uint64_t first, last; /* nr_taken at its first and at its last trial */
		unsigned nr;          /* trials that count; 0 if it is not in the spool any more */
		unsigned pass;        /* of its last trial */
	} * list;
	size_t nr, alloc;
	uint64_t nr_taken;    /* windows that the server has taken */
	unsigned pass;        /* the number of this pass over all windows */
	unsigned nr_in_pass;  /* windows that the server did not take in it */
	struct strbuf why;    /* it did not take the last one, without a newline */
	struct trouble aside; /* windows that were set aside */
};

void refusals_init(struct refusals *r);
void refusals_release(struct refusals *r);

/* Begins a pass over all windows. */
void refusals_begin_pass(struct refusals *r);

/*
 * Sorts windows so that each will have its turn: first the ones that were not tried before, by
 * time, then the others by their last trials.
 */
void refusals_sort(struct refusals *r, struct spool_list *files);
/* Returns whether the server did not take the window, which is still in the spool. */
bool refusals_has(const struct refusals *r, const struct spool_file *file);

/*
 * Notes that the server did not take the window, and WHY, a line. IS_ERROR tells an error of the
 * server from a refusal. May set the window aside.
 */
void refusals_add(
	struct refusals *r, const struct spool_file *file, bool is_error, const struct strbuf *why);
/* Notes that the window is not in the spool any more. */
void refusals_forget(struct refusals *r, const struct spool_file *file);

/*
 * Appends what has to be said of the windows in FILES that are not taken: nothing while others are
 * taken, unless this pass is the LAST. Returns how many they are.
 */
size_t refusals_left(
	const struct refusals *r, const struct spool_list *files, bool last, struct strbuf *out);

#endif
