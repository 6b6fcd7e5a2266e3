/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of a process: the current ones sorted by address, the past ones sorted by
 * their ends, and the storage of both in struct processes.
 */
#ifndef PROCESS_MAPPINGS_H
#define PROCESS_MAPPINGS_H

#include "process.h"

void mappings_release(struct process *p);

/*
 * Stores M as a mapping of P, and sets *NUMBER to its index in ps->maps. Returns false if there is
 * no room; M is then counted as left out. Until the mapping is in a list of P, only mappings_drop()
 * can free it.
 */
bool mappings_new(
	struct processes *ps, const struct process *p, const struct mapping *m, uint32_t *number);
void mappings_drop(struct processes *ps, uint32_t number);

/*
 * Returns true if a process that has NR mappings may have M, too. If not, M is counted as left out.
 */
bool mappings_have_room(struct processes *ps, const struct mapping *m, size_t nr);

/* Returns the number of pages that the kernel counts as executable (is_exec_mapping()). */
uint64_t mappings_exec_pages(const struct mapping *m);

/*
 * Returns the number of the current mapping that equals M apart from its times, or -1 if there is
 * none.
 */
int64_t mappings_find_same(
	const struct processes *ps, const struct process *p, const struct mapping *m);

/*
 * Replaces the list of current mappings by NUMBERS, which is sorted by address and allocated, and
 * which P then owns. Mappings that are not in NUMBERS have ended at TIME_NS.
 */
void mappings_replace(
	struct processes *ps, struct process *p, uint32_t *numbers, size_t nr, int64_t time_ns);

/*
 * Adds a past mapping or, if to_ns says so, a current one, which ends the mappings that it
 * overlaps.
 */
void mappings_add(struct processes *ps, struct process *p, const struct mapping *m);

/*
 * Removes [START, END) from the mappings at TIME_NS. The remaining parts become new mappings.
 * Mappings that a later scan has found are kept: they were mapped again since then.
 */
void mappings_unmap(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns);

/* Ends the mappings of a process that has ended. They can still be found. */
void mappings_end(struct processes *ps, struct process *p, int64_t time_ns);

/* Removes the mappings that ended before TIME_NS from the lists of P. */
void mappings_forget(const struct processes *ps, struct process *p, int64_t time_ns);
/*
 * Frees the mappings that ended before TIME_NS and whose number is not USED. They are in no list.
 */
void mappings_sweep(struct processes *ps, const bool *used, int64_t time_ns);

#endif
