/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes rows of samples, in the order of time. */
#ifndef INPUT_PERFDATA_PERFDATA_ROWS_H
#define INPUT_PERFDATA_PERFDATA_ROWS_H

#include "perfdata_branches.h"
#include "perfdata_frames.h"
#include "perfdata_labels.h"
#include "perfdata_tasks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata_event;
struct perfdata_events;
struct perfdata_files;
struct perfdata_jit;
struct perfdata_sample;
struct perfdata_stack;

struct perfdata_rows {
	struct recording *rec;
	struct perfdata_events *events;
	struct perfdata_tasks *tasks;
	struct perfdata_files *files;
	struct perfdata_jit *jit;
	struct perfdata_frames frames;
	struct perfdata_branches branches;
	struct perfdata_labels labels;
	bool keeps_branches;   /* samples are asked for their branches */
	uint64_t nr_branched;  /* samples whose branches are not kept */
	bool samples;          /* each sample counts as 1, whatever its period */
	bool other_processor;  /* copied stacks cannot be unwound */
	struct table cgroups;  /* id -> number of its label set */
	uint64_t began, ended; /* times of the first and last sample, or 0 */
	struct perfdata_stack *stack;
	/* Samples whose user half comes later. */
	struct perfdata_half {
		uint64_t cookie, time, sum;
		uint32_t pid, event, task, kernel, labels;
	} * halves;
	size_t nr_halves, halves_alloc;
};

void perfdata_rows_init(struct perfdata_rows *rs, struct recording *rec,
	struct perfdata_events *events, struct perfdata_tasks *tasks, struct perfdata_files *files,
	struct perfdata_jit *jit);
void perfdata_rows_release(struct perfdata_rows *rs);

void perfdata_rows_cgroup(struct perfdata_rows *rs, uint64_t id, const char *path);
/* Adds the sample S of the event E, taken in MODE (enum perfdata_mode). */
void perfdata_rows_add(struct perfdata_rows *rs, struct perfdata_event *e,
	const struct perfdata_sample *s, unsigned mode);
/* Joins the user half of a call chain with the samples that wait for it. */
void perfdata_rows_join(
	struct perfdata_rows *rs, uint64_t cookie, const uint64_t *addresses, uint64_t nr);
/* Adds the samples whose user half did not come, names the events, sets the slices of time. */
void perfdata_rows_end(struct perfdata_rows *rs);

#endif
