/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The windows that the server refuses, which do not hold up the windows behind them. As long as the
 * server takes none, it may refuse all, and they are kept. If it has taken another one since, the
 * window itself is the reason, and is set aside after some trials.
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
		uint64_t taken; /* nr_taken when it was refused first */
		unsigned nr;    /* how often; 0 if it was taken or set aside since */
		unsigned pass;  /* in which it was refused last */
	} * list;
	size_t nr, alloc;
	uint64_t nr_taken;    /* windows that the server has taken */
	unsigned pass;        /* the number of this pass over all windows */
	unsigned nr_in_pass;  /* windows that the server has refused in it */
	struct strbuf why;    /* of the last refusal, without a newline */
	struct trouble aside; /* windows that were set aside */
};

void refusals_init(struct refusals *r);
void refusals_release(struct refusals *r);

/* Begins a pass over all windows. */
void refusals_begin_pass(struct refusals *r);

/* Returns whether the window was refused and is still in the spool. */
bool refusals_has(const struct refusals *r, const struct spool_file *file);
/* Returns whether it was refused in this pass. */
bool refusals_has_now(const struct refusals *r, const struct spool_file *file);

/* Notes that the server has refused the window, and WHY, a line. May set the window aside. */
void refusals_add(struct refusals *r, const struct spool_file *file, const struct strbuf *why);
/* Notes that the window is not in the spool any more. */
void refusals_forget(struct refusals *r, const struct spool_file *file);

/*
 * Appends what has to be said of the windows in FILES that are still refused: nothing while others
 * are taken, unless this pass is the LAST. Returns how many they are.
 */
size_t refusals_left(
	const struct refusals *r, const struct spool_list *files, bool last, struct strbuf *out);

#endif
