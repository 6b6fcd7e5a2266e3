/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The executable mappings of a process: the current ones sorted by address, the past ones by their
 * ends, and the storage of both in struct processes.
 */
#ifndef PROCESS_MAPPINGS_H
#define PROCESS_MAPPINGS_H

#include "process.h"

void mappings_release(struct process *p);

/*
 * Stores M as a mapping of P; *NUMBER is its index in ps->maps. False: there is no room; it is
 * counted as left out. Until it is in a list of P, only mappings_drop() knows of it.
 */
bool mappings_new(
	struct processes *ps, const struct process *p, const struct mapping *m, uint32_t *number);
void mappings_drop(struct processes *ps, uint32_t number);

/* Whether a process that has NR mappings may have M, too; if not, it is counted as left out. */
bool mappings_have_room(struct processes *ps, const struct mapping *m, size_t nr);

/* The pages that the kernel counts as executable (is_exec_mapping()). */
uint64_t mappings_exec_pages(const struct mapping *m);

/* The number of the current mapping that equals M (times apart); -1: none. */
int64_t mappings_find_same(
	const struct processes *ps, const struct process *p, const struct mapping *m);

/*
 * Replaces the list of current mappings by NUMBERS, sorted by address and allocated, which P then
 * owns; those that are not in it have ended at TIME_NS.
 */
void mappings_replace(
	struct processes *ps, struct process *p, uint32_t *numbers, size_t nr, int64_t time_ns);

/* Adds a current mapping, which ends those that it overlaps, or a past one (to_ns says which). */
void mappings_add(struct processes *ps, struct process *p, const struct mapping *m);

/*
 * Removes [START, END) from the mappings at TIME_NS; the remaining parts become new mappings. Those
 * found by a later scan were mapped again since then.
 */
void mappings_unmap(
	struct processes *ps, struct process *p, uint64_t start, uint64_t end, int64_t time_ns);

/* The process has ended: so have its mappings, which can still be found. */
void mappings_end(struct processes *ps, struct process *p, int64_t time_ns);

/* Removes the mappings that ended before TIME_NS from the lists of P. */
void mappings_forget(const struct processes *ps, struct process *p, int64_t time_ns);
/* Frees the mappings that ended before TIME_NS and, by number, are not USED; they are in no list.
 */
void mappings_sweep(struct processes *ps, const bool *used, int64_t time_ns);

#endif
