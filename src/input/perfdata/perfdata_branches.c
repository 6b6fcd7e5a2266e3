/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_branches.h"
#include "lib/util.h"
#include "perfdata_format.h"
#include "perfdata_frames.h"
#include "perfdata_sample.h"
#include "perfdata_tasks.h"

static const uint64_t kernel_begin = 1ULL << 63;

void perfdata_branches_init(
	struct perfdata_branches *bs, struct recording *rec, struct perfdata_frames *frames)
{
	*bs = (struct perfdata_branches){.rec = rec, .frames = frames};
	table_init(&bs->groups);
	table_init(&bs->by_frame);
}

void perfdata_branches_release(struct perfdata_branches *bs)
{
	table_release(&bs->groups);
	table_release(&bs->by_frame);
}

static uint32_t group_of(struct perfdata_branches *bs, const struct rec_branch *of)
{
	bool is_new;
	uint32_t *number =
		table_put(&bs->groups, (uint64_t)of->event << 32 | of->task, of->labels, &is_new);

	if (is_new)
		*number = (uint32_t)bs->groups.nr;
	return *number;
}

static struct rec_branch *find(
	struct perfdata_branches *bs, uint32_t group, const struct rec_branch *branch)
{
	struct recording *rec = bs->rec;
	bool is_new;
	uint32_t *number = table_put(&bs->by_frame, (uint64_t)branch->source << 32 | branch->target,
		(uint64_t)branch->last << 32 | group, &is_new);

	if (is_new) {
		*number = (uint32_t)rec->nr_branches;
		ALLOC_GROW(rec->branches, rec->nr_branches, rec->branches_alloc);
		rec->branches[rec->nr_branches++] = *branch;
	}
	return &rec->branches[*number];
}

static uint32_t frame_of(struct perfdata_branches *bs, const struct perfdata_space *space,
	uint32_t pid, uint64_t address)
{
	return perfdata_frames_alone(bs->frames, perfdata_space_find(space, address), pid, address);
}

/*
 * Whether a branch is left out: an interrupt or system call, after which the program goes on where
 * it was, or a branch that was only predicted.
 */
static bool is_left_out(const uint64_t *branch)
{
	return branch[0] >= kernel_begin || branch[1] >= kernel_begin ||
	       (branch[2] & PERFDATA_BRANCH_SPEC) == PERFDATA_BRANCH_WRONG_PATH;
}

void perfdata_branches_add(struct perfdata_branches *bs, const struct perfdata_sample *s,
	const struct perfdata_space *space, const struct rec_branch *of)
{
	uint32_t group = s->nr_branches ? group_of(bs, of) : 0;
	struct rec_branch branch = *of;

	branch.last = NO_FRAME;
	for (uint64_t i = 0; i < s->nr_branches; i++) {
		const uint64_t *words = s->branches + i * PERFDATA_BRANCH_WORDS;

		if (is_left_out(words))
			continue;
		branch.source = frame_of(bs, space, s->pid, words[0]);
		branch.target = frame_of(bs, space, s->pid, words[1]);
		struct rec_branch *sum = find(bs, group, &branch);

		sum->count++;
		sum->mispredicted += words[2] & PERFDATA_BRANCH_MISPREDICTED;
		branch.last = branch.source;
	}
}
