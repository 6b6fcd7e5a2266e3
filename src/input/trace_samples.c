/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace_samples.h"
#include "lib/strbuf.h"
#include "lib/table.h"
#include "lib/util.h"
#include "module_frame.h"
#include "text_format.h"

struct samples_reader {
	struct json_tree *tree;
	struct table by_id; /* of a frame -> index of a node + 1 */
	trace_task *task;
	void *arg;
	uint64_t nr;
};

/* Returns the node of the frame ID, which may follow later, or JSON_NONE if that is no number. */
static uint32_t node_of(struct samples_reader *r, const struct json_number *id)
{
	struct json_tree *t = r->tree;
	bool is_new;
	uint32_t *at = id->is_whole ? table_put(&r->by_id, id->whole, 0, &is_new) : NULL;

	if (!at)
		return JSON_NONE;
	if (is_new) {
		ALLOC_GROW(t->nodes, t->nr, t->alloc);
		t->nodes[t->nr++] = (struct json_node){JSON_NONE, JSON_NONE};
		*at = (uint32_t)t->nr;
	}
	return *at - 1;
}

static void read_frame(
	struct samples_reader *r, const struct json_number *id, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT, name = STRBUF_INIT;
	uint32_t node = node_of(r, id), parent = JSON_NONE;
	struct json_number number;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "name"))
				json_read_string(j, &name);
			else if (!strcmp(key, "parent") && json_read_loosely(j, &number))
				parent = node_of(r, &number);
			else if (strcmp(key, "parent"))
				json_skip(j);
		}
	if (node != JSON_NONE) {
		const struct module_frame frame = {
			.name = name.buf, .name_len = name.len, .module = ""};

		r->tree->nodes[node] = (struct json_node){
			parent, name.len ? module_frame_entry(r->tree->stacks, &frame) : JSON_NONE};
	}
	strbuf_release(&member);
	strbuf_release(&name);
}

static void read_frames(struct samples_reader *r, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct json_number id;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			id = (struct json_number){0};
			id.is_whole = parse_u64(key, strlen(key), 10, &id.whole);
			read_frame(r, &id, j);
		}
	strbuf_release(&member);
}

/* Returns the weight of a sample, which is 1 if the file does not tell. */
static uint64_t weight_of(const struct json_number *weight)
{
	return weight->value > 0 && weight->value < (double)INT64_MAX ? (uint64_t)weight->value : 1;
}

static void read_sample(struct samples_reader *r, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct json_number pid = {0}, tid = {0}, weight = {0}, frame = {0};
	const char *key;
	uint32_t task;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			struct json_number *to = !strcmp(key, "pid")      ? &pid
						 : !strcmp(key, "tid")    ? &tid
						 : !strcmp(key, "weight") ? &weight
						 : !strcmp(key, "sf")     ? &frame
									  : NULL;

			if (to)
				json_read_loosely(j, to);
			else
				json_skip(j);
		}
	strbuf_release(&member);
	r->nr++;
	task = r->task(r->arg, pid.whole, tid.whole);
	if (task != STACKS_OTHER_TASK)
		json_tree_add(r->tree, node_of(r, &frame), task, weight_of(&weight));
}

uint64_t trace_samples_read(struct json_tree *tree, struct json_reader samples,
	struct json_reader frames, trace_task *task, void *arg)
{
	struct samples_reader r = {.tree = tree, .task = task, .arg = arg};

	table_init(&r.by_id);
	if (frames.at)
		read_frames(&r, &frames);
	if (samples.at && json_begin(&samples, '['))
		while (json_next(&samples))
			read_sample(&r, &samples);
	table_release(&r.by_id);
	return r.nr;
}
