/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one line of the tracer function_graph; graph.c describes the forms. Results point into the
 * line.
 */
#ifndef INPUT_GRAPHLINE_H
#define INPUT_GRAPHLINE_H

#include "model/task_filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum graph_event {
	GRAPH_CALL,
	GRAPH_LEAF,    /* a call and its return, without traced calls between them */
	GRAPH_RETURN,  /* of the last call at its depth that has not returned */
	GRAPH_SWITCH,  /* the task runs on the processor from here on */
	GRAPH_LOST,    /* events of the processor are missing here */
	GRAPH_NOTHING, /* a rule, an arrow of an interrupt, or a comment */
};

struct graph_line {
	enum graph_event event;
	uint32_t cpu;     /* or 0 if the processor is not printed */
	struct task task; /* its pid is 0 if it is not printed */
	struct task from; /* the task that has run there before GRAPH_SWITCH */
	uint32_t depth;
	const char *name; /* of a call, with its module as in "ext4_sync_fs [ext4]" */
	size_t name_len;
	bool has_ns;
	uint64_t ns; /* from the call to the return */
};

/* Returns false if the line is in another format. */
bool graphline_parse(struct graph_line *g, const char *line, size_t len);

#endif
