/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles as JSON that keep stacks as a tree: each sample names a node, each node its parent. What
 * the readers of such formats share.
 */
#ifndef INPUT_JSON_TREE_H
#define INPUT_JSON_TREE_H

#include "expansion.h"
#include "json_reader.h"
#include "stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;
struct text_input;

/* In place of the parent of a root, of a missing value, and of the entry of a node without frame.
 */
#define JSON_NONE UINT32_MAX

struct json_tree {
	struct text_input *in;
	struct stacks *stacks;
	struct expansion expansion;
	struct json_node {
		uint32_t parent; /* index of a node */
		uint32_t entry;  /* see stacks.h */
	} * nodes;
	size_t nr, alloc;
	uint64_t wrong; /* samples left out */
};

/* A list of numbers. */
struct json_column {
	double *list; /* NAN for what is not a number */
	size_t nr, alloc;
};

void json_tree_release(struct json_tree *t);

/* Pushes the frames of NODE and its callers. Returns false if they are not a tree. */
bool json_tree_push(struct json_tree *t, uint32_t node);

/* Adds the stack of NODE under the frame TASK, or counts it as wrong. */
void json_tree_add(struct json_tree *t, uint32_t node, uint32_t task, uint64_t weight);

/* Appends the numbers of the list that J reads. */
void json_column_read(struct json_column *column, struct json_reader *j);

/* Returns number I as an index below LIMIT, or JSON_NONE. */
uint32_t json_column_index(const struct json_column *column, size_t i, size_t limit);

/* Returns -1 with a message if J is at a place where its text is no JSON. */
int json_check(const struct json_reader *j, struct strbuf *notes);

/* The readers. OBJECT is the whole file. They return as a text format's reader does. */
typedef int json_read(struct text_input *in, struct json_reader object, struct stacks *stacks,
	struct expansion expansion);
json_read v8_profile_read, chrome_trace_read, firefox_profile_read;

#endif
