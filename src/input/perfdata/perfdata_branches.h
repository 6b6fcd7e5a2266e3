/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the branches of samples to a recording, equal ones once. */
#ifndef INPUT_PERFDATA_PERFDATA_BRANCHES_H
#define INPUT_PERFDATA_PERFDATA_BRANCHES_H

#include "lib/table.h"
#include "model/recording.h"

struct perfdata_frames;
struct perfdata_sample;
struct perfdata_space;

struct perfdata_branches {
	struct recording *rec;
	struct perfdata_frames *frames;
	struct table groups;   /* event, task, labels -> number */
	struct table by_frame; /* source, target, last, group -> branch */
};

void perfdata_branches_init(
	struct perfdata_branches *bs, struct recording *rec, struct perfdata_frames *frames);
void perfdata_branches_release(struct perfdata_branches *bs);

/*
 * Adds the branches of S, in user space, with the event, task and labels of OF. SPACE has the
 * mappings of the process, or is NULL.
 */
void perfdata_branches_add(struct perfdata_branches *bs, const struct perfdata_sample *s,
	const struct perfdata_space *space, const struct rec_branch *of);

#endif
