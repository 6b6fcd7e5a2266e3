/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sets of a source's labels, by the numbers that the programs give them, as sets of samples;
 * and a limit of their values, as clients choose some of them.
 */
#ifndef ENGINE_LABEL_SETS_H
#define ENGINE_LABEL_SETS_H

#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct label_new_set;
struct label_processes;
struct samples;
struct strbuf;

enum { LABEL_VALUES_DEFAULT = 1000, LABEL_VALUES_MAX = 1 << 20 };

struct label_sets {
	struct samples *samples;
	struct label_processes *processes;
	uint32_t max;           /* values of each label that are kept at the end */
	size_t max_labels;      /* in all sets of samples, until no new combinations are added */
	struct table by_number; /* number in the programs -> set in samples */
	struct table recent;    /* the same, of those that rows had since the last sweep */
	struct table values;    /* index of a label, hash of a value that is kept */
	uint32_t nr_values[32]; /* of each of them */
	uint64_t nr_unknown;    /* samples whose labels were not received */
	uint64_t nr_other;      /* values that became "other" before the end, with repetitions */
	uint64_t nr_refused;    /* values that became "other" because of max_labels, likewise */
};

/* MAX as above. */
void label_sets_init(struct label_sets *sets, struct samples *samples,
	struct label_processes *processes, uint32_t max);
void label_sets_release(struct label_sets *sets);

/* Takes a set that the programs have sent. */
void label_sets_add(struct label_sets *sets, const struct label_new_set *set);

/*
 * The set in samples with the labels of set NUMBER in process PID and of OTHERS, a set of samples.
 * NUMBER 0: nothing is known but the process, as of one that exits. COUNT: samples that have them.
 */
uint32_t label_sets_join(
	struct label_sets *sets, uint64_t number, uint32_t pid, uint32_t others, uint64_t count);

/* True if many sets have been received, so that label_sets_sweep() should be called. */
bool label_sets_is_full(const struct label_sets *sets);

/*
 * Forgets the sets that no row had since the last call. The rows so far have been read. SENT: the
 * programs' map of numbers that were sent, a file descriptor: they are sent again, if need be.
 */
void label_sets_sweep(struct label_sets *sets, int sent);

/*
 * At the end: of each label whose values clients choose, keeps the most frequent ones and makes the
 * others "other". Adds to NOTES how many, and what else was lost, one per line.
 */
void label_sets_limit(struct label_sets *sets, struct strbuf *notes);

#endif
