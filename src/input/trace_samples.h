/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples in Chrome's format of traces, as Hermes, the engine of React Native, writes them:
 *
 *	{"traceEvents": […],
 *	 "stackFrames": {"5": {"name": "f", "category", "parent": "4"}, …},
 *	 "samples": [{"pid", "tid", "ts", "weight": 1, "sf": 5}, …]}
 *
 * Numbers may be strings.
 */
#ifndef INPUT_TRACE_SAMPLES_H
#define INPUT_TRACE_SAMPLES_H

#include "json_tree.h"

/* Returns the root frame of the thread's stacks, or STACKS_OTHER_TASK. */
typedef uint32_t trace_task(void *arg, uint64_t pid, uint64_t tid);

/*
 * Adds SAMPLES, whose FRAMES are at NULL if there are none, to TREE under the frames that TASK
 * returns. Returns how many there are.
 */
uint64_t trace_samples_read(struct json_tree *tree, struct json_reader samples,
	struct json_reader frames, trace_task *task, void *arg);

#endif
