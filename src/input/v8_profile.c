/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * V8's profiles, as the type Profile of the DevTools protocol:
 *
 *	{"nodes": [{"id": 1, "callFrame": {"functionName", "url", "lineNumber"},
 *		    "children": [2, 3], "parent": 1, "hitCount": 5}, …],
 *	 "startTime": 0, "endTime": 900, "samples": [2, 2, 3], "timeDeltas": [100, 250, 250]}
 *
 * Lines are numbered from 0. A node has children or, in pieces, a parent. A sample lasts until the
 * next one. Without samples, the nodes have counts. Samples of (idle) are left out; (garbage
 * collector) is called by what ran before.
 */
#include "v8_profile.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "module_frame.h"
#include "text_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void v8_profile_init(struct v8_profile *v, struct text_input *in, struct stacks *stacks,
	struct expansion expansion)
{
	*v = (struct v8_profile){.started = NAN, .ended = NAN};
	v->tree = (struct json_tree){.in = in, .stacks = stacks, .expansion = expansion};
	table_init(&v->by_id);
}

void v8_profile_release(struct v8_profile *v)
{
	json_tree_release(&v->tree);
	table_release(&v->by_id);
	free(v->links);
	free(v->samples.list);
	free(v->deltas.list);
	free(v->hits.list);
}

/* Returns the entry of a callFrame, or JSON_NONE for (root). */
static uint32_t read_frame(struct v8_profile *v, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT, name = STRBUF_INIT, url = STRBUF_INIT;
	struct json_number line = {0};
	struct module_frame frame = {0};
	uint32_t entry = JSON_NONE;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "functionName"))
				json_read_string(j, &name);
			else if (!strcmp(key, "url"))
				json_read_string(j, &url);
			else if (!strcmp(key, "lineNumber"))
				json_read_number(j, &line);
			else
				json_skip(j);
		}
	if (!name.len)
		strbuf_adds(&name, "(anonymous)");
	frame.name = name.buf;
	frame.name_len = name.len;
	frame.module = url.buf;
	frame.module_len = url.len;
	if (v->tree.in->options->sources && line.is_whole)
		frame.source = module_frame_source(v->tree.in->p, url.buf, url.len, line.whole + 1);
	if (strcmp(name.buf, "(root)"))
		entry = module_frame_entry(v->tree.stacks, &frame);
	strbuf_release(&member);
	strbuf_release(&name);
	strbuf_release(&url);
	return entry;
}

static void add_link(struct v8_profile *v, uint32_t parent, uint32_t child)
{
	ALLOC_GROW(v->links, v->nr_links, v->links_alloc);
	v->links[v->nr_links++] = (struct v8_link){parent, child};
}

static void read_children(struct v8_profile *v, struct json_reader *j)
{
	uint32_t id;

	if (json_begin(j, '['))
		while (json_next(j))
			if (json_read_index(j, &id))
				add_link(v, (uint32_t)v->tree.nr, id);
}

static void read_node(struct v8_profile *v, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct json_node node = {JSON_NONE, JSON_NONE};
	uint32_t id = 0, parent;
	struct json_number hits = {0};
	const uint32_t *at;
	const char *key;
	bool is_new;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "id"))
				json_read_index(j, &id);
			else if (!strcmp(key, "parent") && json_read_index(j, &parent))
				node.parent =
					(at = table_get(&v->by_id, parent, 0)) ? *at : JSON_NONE;
			else if (!strcmp(key, "callFrame"))
				node.entry = read_frame(v, j);
			else if (!strcmp(key, "children"))
				read_children(v, j);
			else if (!strcmp(key, "hitCount"))
				json_read_number(j, &hits);
			else if (strcmp(key, "parent"))
				json_skip(j);
		}
	strbuf_release(&member);
	ALLOC_GROW(v->hits.list, v->hits.nr, v->hits.alloc);
	v->hits.list[v->hits.nr++] = hits.value;
	ALLOC_GROW(v->tree.nodes, v->tree.nr, v->tree.alloc);
	*table_put(&v->by_id, id, 0, &is_new) = (uint32_t)v->tree.nr;
	v->tree.nodes[v->tree.nr++] = node;
}

void v8_profile_members(struct v8_profile *v, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct json_number number;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "samples"))
				json_column_read(&v->samples, j);
			else if (!strcmp(key, "timeDeltas"))
				json_column_read(&v->deltas, j);
			else if (!strcmp(key, "cpuProfile"))
				v8_profile_members(v, j);
			else if (!strcmp(key, "startTime"))
				v->started = json_read_number(j, &number) ? number.value : NAN;
			else if (!strcmp(key, "endTime"))
				v->ended = json_read_number(j, &number) ? number.value : NAN;
			else if (strcmp(key, "nodes") || !json_begin(j, '['))
				strcmp(key, "nodes") ? json_skip(j) : (void)0;
			else
				while (json_next(j))
					read_node(v, j);
		}
	strbuf_release(&member);
}

static void join_nodes(struct v8_profile *v)
{
	for (size_t i = 0; i < v->nr_links; i++) {
		const uint32_t *child = table_get(&v->by_id, v->links[i].child, 0);

		if (child && *child != v->links[i].parent)
			v->tree.nodes[*child].parent = v->links[i].parent;
	}
}

static bool is_named(const struct v8_profile *v, uint32_t node, const char *name)
{
	uint32_t entry = v->tree.nodes[node].entry;

	return entry != JSON_NONE &&
	       !strcmp(profile_name(v->tree.in->p, entry & ENTRY_FRAME, NULL), name);
}

/* Returns how long sample I lasts, in us, if it was taken at NOW. */
static double length_of(const struct v8_profile *v, size_t i, double now)
{
	double us = i + 1 < v->deltas.nr ? v->deltas.list[i + 1] : v->ended - now;

	return us > 0 && us < (double)INT64_MAX ? us : 0;
}

/* Adds a sample of NODE. BEFORE is the node of the sample before it, or JSON_NONE. */
static void add_sample(
	struct v8_profile *v, uint32_t node, uint32_t before, uint32_t task, uint64_t us)
{
	struct account *account = &v->tree.in->p->account;

	if (node != JSON_NONE && is_named(v, node, "(idle)")) {
		add_capped(&account->left_out, us);
		return;
	}
	if (node != JSON_NONE && before != JSON_NONE && is_named(v, node, "(garbage collector)")) {
		stacks_push(v->tree.stacks, v->tree.nodes[node].entry);
		node = before;
	}
	json_tree_add(&v->tree, node, task, us);
}

static void add_counts(struct v8_profile *v, uint32_t task)
{
	for (size_t i = 0; i < v->hits.nr; i++)
		if (v->hits.list[i] >= 1 && v->hits.list[i] < (double)INT64_MAX)
			add_sample(v, (uint32_t)i, JSON_NONE, task, (uint64_t)v->hits.list[i]);
}

void v8_profile_add(struct v8_profile *v, uint32_t task)
{
	double now = v->started, carry = 0;
	uint32_t before = JSON_NONE;

	join_nodes(v);
	if (!v->samples.nr)
		add_counts(v, task);
	for (size_t i = 0; i < v->samples.nr; i++) {
		uint32_t id = json_column_index(&v->samples, i, JSON_NONE), node;
		const uint32_t *at = table_get(&v->by_id, id, 0);

		now += i < v->deltas.nr ? v->deltas.list[i] : 0;
		carry += length_of(v, i, now);
		node = at ? *at : JSON_NONE;
		add_sample(v, node, before, task, (uint64_t)carry);
		carry -= floor(carry);
		if (node != JSON_NONE && !is_named(v, node, "(garbage collector)"))
			before = is_named(v, node, "(idle)") ? JSON_NONE : node;
	}
}

int v8_profile_read(struct text_input *in, struct json_reader object, struct stacks *stacks,
	struct expansion expansion)
{
	struct v8_profile v;
	uint64_t wrong;

	v8_profile_init(&v, in, stacks, expansion);
	v8_profile_members(&v, &object);
	if (json_check(&object, in->notes)) {
		v8_profile_release(&v);
		return -1;
	}
	v8_profile_add(&v, 0);
	profile_set(&in->p->unit, v.samples.nr ? "us" : "samples");
	wrong = v.tree.wrong;
	v8_profile_release(&v);
	add_capped(&in->p->account.lost[LOST_UNREADABLE], wrong);
	if (wrong)
		strbuf_addf(in->notes,
			"samples left out: %" PRIu64 ", of nodes that are not there\n", wrong);
	return wrong != 0;
}
