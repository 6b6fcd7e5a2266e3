/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From raw samples to a recording: the only place where that is done, whatever engine took them. */
#ifndef ENGINE_COLLECT_H
#define ENGINE_COLLECT_H

struct kallsyms;
struct processes;
struct recording;
struct samples;

/*
 * Adds the events, tasks, stacks, rows and losses of S to REC, rows heaviest first. Sums get their
 * event's unit; stacks are judged, those of user space and of a VM become one where a row has both.
 * PS has the mappings that user frames lie in; kernel frames get their names from KS (NULL: none).
 * S is used up: rows are merged in place.
 */
void collect(struct samples *s, const struct processes *ps, const struct kallsyms *ks,
	struct recording *rec);

#endif
