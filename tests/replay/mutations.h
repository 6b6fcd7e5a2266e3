/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks in memory that has been changed, as another thread or a fault might. */
#ifndef TESTS_REPLAY_MUTATIONS_H
#define TESTS_REPLAY_MUTATIONS_H

#include "case.h"

/*
 * Walks NR times, each with some of the words changed that the walk reads. It may give any stack,
 * but has to end; else this aborts. *SEED: what changes depends on it alone.
 */
void mutated_walks(
	const struct case_state *s, const struct case_walk *w, unsigned nr, uint64_t *seed);

#endif
