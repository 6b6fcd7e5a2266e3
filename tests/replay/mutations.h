/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks in memory that was changed, as another thread or a fault might change it. */
#ifndef TESTS_REPLAY_MUTATIONS_H
#define TESTS_REPLAY_MUTATIONS_H

#include "case.h"

/* Walks NR times, each time with some of the words changed that the walk reads. A walk may give any
 * stack, but must end; otherwise this aborts. The changes depend on *SEED alone. */
void mutated_walks(
	const struct case_state *s, const struct case_walk *w, unsigned nr, uint64_t *seed);

#endif
