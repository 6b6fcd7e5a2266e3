/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPU profiles of V8, in .cpuprofile files and in pieces in Chrome's traces, and its heap
 * profiles.
 */
#ifndef INPUT_V8_PROFILE_H
#define INPUT_V8_PROFILE_H

#include "json_tree.h"
#include "lib/table.h"

struct v8_profile {
	struct json_tree tree;
	struct table by_id; /* of a node -> index */
	struct v8_link {
		uint32_t parent, child; /* index of a node; ID of another one */
	} * links;
	size_t nr_links, links_alloc;
	struct json_column samples, deltas, times;
	struct json_column hits; /* of each node: samples, or bytes if has_sizes is set */
	bool has_sizes;
	double started, ended; /* in us, or NAN */
};

void v8_profile_init(struct v8_profile *v, struct text_input *in, struct stacks *stacks,
	struct expansion expansion);
void v8_profile_release(struct v8_profile *v);

/* Reads the members of a profile, or of a piece of one. */
void v8_profile_members(struct v8_profile *v, struct json_reader *j);

/* Adds the samples under the frame TASK. */
void v8_profile_add(struct v8_profile *v, uint32_t task);

#endif
