/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the sets of labels of sources, which the programs identify by label_set_id(), to sets of
 * samples; and limits the values of labels, as clients choose some of them.
 */
#ifndef ENGINE_LABEL_SETS_H
#define ENGINE_LABEL_SETS_H

#include "label/label_layout.h"
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
	uint32_t max;        /* values of each label that are kept at the end */
	size_t max_labels;   /* in all sets of samples, beyond which combinations are refused */
	struct table by_id;  /* set of the programs -> set in samples */
	struct table recent; /* the sets among these that rows had since the last sweep */
	struct table values; /* place in nr_values, hash of a value that is kept */
	/* how many values of each label are kept */
	uint32_t nr_values[LABEL_KINDS * LABEL_KEYS_MAX];
	uint64_t nr_unknown; /* samples whose labels were not received */
	uint64_t nr_other;   /* values that became "other" before the end, with repetitions */
	uint64_t nr_refused; /* like nr_other, but because of max_labels */
};

/* MAX is the number of values of each label that are kept at the end. */
void label_sets_init(struct label_sets *sets, struct samples *samples,
	struct label_processes *processes, uint32_t max);
void label_sets_release(struct label_sets *sets);

/* Takes a set that the programs have sent. */
void label_sets_add(struct label_sets *sets, const struct label_new_set *set);

/*
 * Returns the set in samples with the labels of the programs' set ID in process PID and of OTHERS,
 * a set of samples. ID is 0 if only the process is known, as for a process that exits. COUNT is the
 * number of samples that have these labels.
 */
uint32_t label_sets_join(
	struct label_sets *sets, uint64_t id, uint32_t pid, uint32_t others, uint64_t count);

/* Returns whether many sets have been received, so that label_sets_sweep() should be called. */
bool label_sets_is_full(const struct label_sets *sets);

/*
 * Forgets the sets that no row had since the last call. The rows so far must have been read. SENT
 * is a file descriptor of the programs' map of sent sets; the forgotten sets are removed from
 * it, so that they are sent again if needed.
 */
void label_sets_sweep(struct label_sets *sets, int sent);

/*
 * Returns for each set in samples the set to record, which has "other" in place of the values that
 * are not among the most frequent ones of their label, if clients choose its values. Returns NULL
 * if all sets are recorded as they are. The caller frees the list. Adds to NOTES how many values
 * these are and what else was lost, one per line.
 */
uint32_t *label_sets_limit(struct label_sets *sets, struct strbuf *notes);

#endif
