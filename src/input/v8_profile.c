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
 *
 * Up to Chrome 57, the nodes were one in the other, with the members of callFrame among their own,
 * lines from 1, and times in place of differences:
 *
 *	{"head": {"functionName", "url", "lineNumber", "id", "hitCount", "children": [{…}, …]},
 *	 "samples": [2, 2, 3], "timestamps": [100, 350, 600]}
 *
 * Heap profiles (.heapprofile) are still like this. Their nodes have a callFrame and the bytes that
 * are allocated there, "selfSize"; their samples tell nothing more.
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
	free(v->times.list);
	free(v->hits.list);
}

/* The members of a callFrame. */
struct v8_frame {
	struct strbuf name, url;
	struct json_number line;
};

static void release_frame(struct v8_frame *f)
{
	strbuf_release(&f->name);
	strbuf_release(&f->url);
}

/* Reads the member KEY if it is one of a callFrame. */
static bool read_frame_member(struct v8_frame *f, const char *key, struct json_reader *j)
{
	if (!strcmp(key, "functionName"))
		json_read_string(j, &f->name);
	else if (!strcmp(key, "url"))
		json_read_string(j, &f->url);
	else if (!strcmp(key, "lineNumber"))
		json_read_number(j, &f->line);
	else
		return false;
	return true;
}

/*
 * Returns the entry of the frame, or JSON_NONE for (root). The first line has the number FIRST.
 */
static uint32_t entry_of(struct v8_profile *v, struct v8_frame *f, unsigned first)
{
	struct module_frame frame = {0};
	uint32_t entry = JSON_NONE;

	if (!f->name.len)
		strbuf_adds(&f->name, "(anonymous)");
	frame.name = f->name.buf;
	frame.name_len = f->name.len;
	frame.module = f->url.buf;
	frame.module_len = f->url.len;
	if (v->tree.in->options->sources && f->line.is_whole)
		frame.source = module_frame_source(
			v->tree.in->p, f->url.buf, f->url.len, f->line.whole + 1 - first);
	if (strcmp(f->name.buf, "(root)"))
		entry = module_frame_entry(v->tree.stacks, &frame);
	return entry;
}

/* Returns the entry of a callFrame, or JSON_NONE for (root). */
static uint32_t read_frame(struct v8_profile *v, struct json_reader *j)
{
	struct strbuf member = STRBUF_INIT;
	struct v8_frame f = {.name = STRBUF_INIT, .url = STRBUF_INIT};
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member)))
			if (!read_frame_member(&f, key, j))
				json_skip(j);

	uint32_t entry = entry_of(v, &f, 0);

	strbuf_release(&member);
	release_frame(&f);
	return entry;
}

/* Adds a node without a frame so far. Returns its index. */
static uint32_t add_node(struct v8_profile *v, uint32_t parent)
{
	ALLOC_GROW(v->hits.list, v->hits.nr, v->hits.alloc);
	v->hits.list[v->hits.nr++] = 0;
	ALLOC_GROW(v->tree.nodes, v->tree.nr, v->tree.alloc);
	v->tree.nodes[v->tree.nr++] = (struct json_node){parent, JSON_NONE};
	return (uint32_t)v->tree.nr - 1;
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

static void read_inner_node(
	struct v8_profile *v, uint32_t parent, struct json_reader *j, int depth);

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

	uint32_t number = add_node(v, node.parent);

	v->hits.list[number] = hits.value;
	v->tree.nodes[number].entry = node.entry;
	*table_put(&v->by_id, id, 0, &is_new) = number;
}

/* Reads the number or the children of node NUMBER. Returns false if KEY is another member. */
static bool read_inner_member(
	struct v8_profile *v, uint32_t number, const char *key, struct json_reader *j, int depth)
{
	bool is_size = !strcmp(key, "selfSize"), is_new;
	struct json_number value = {0};
	uint32_t id;

	if (is_size || !strcmp(key, "hitCount")) {
		json_read_number(j, &value);
		v->hits.list[number] = value.value;
		v->has_sizes |= is_size;
	} else if (!strcmp(key, "id")) {
		if (json_read_index(j, &id))
			*table_put(&v->by_id, id, 0, &is_new) = number;
	} else if (!strcmp(key, "children") && depth < JSON_DEPTH_MAX / 2) {
		if (json_begin(j, '['))
			while (json_next(j))
				read_inner_node(v, number, j, depth + 1);
	} else {
		return false;
	}
	return true;
}

/* Reads a node that is DEPTH levels inside of the first one, with its children. */
static void read_inner_node(struct v8_profile *v, uint32_t parent, struct json_reader *j, int depth)
{
	struct strbuf member = STRBUF_INIT;
	struct v8_frame f = {.name = STRBUF_INIT, .url = STRBUF_INIT};
	uint32_t number = add_node(v, parent), entry = JSON_NONE;
	bool has_frame = false;
	const char *key;

	if (json_begin(j, '{'))
		while ((key = json_next_member(j, &member))) {
			if (!strcmp(key, "callFrame")) {
				has_frame = true;
				entry = read_frame(v, j);
			} else if (!read_frame_member(&f, key, j) &&
				   !read_inner_member(v, number, key, j, depth)) {
				json_skip(j);
			}
		}
	v->tree.nodes[number].entry = has_frame ? entry : entry_of(v, &f, 1);
	strbuf_release(&member);
	release_frame(&f);
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
			else if (!strcmp(key, "timestamps"))
				json_column_read(&v->times, j);
			else if (!strcmp(key, "head"))
				read_inner_node(v, JSON_NONE, j, 0);
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

/* Makes differences of times. */
static void set_deltas(struct v8_profile *v)
{
	struct json_column *deltas = &v->deltas;
	const double *times = v->times.list;

	if (deltas->nr || !v->times.nr)
		return;
	v->started = times[0];
	for (size_t i = 0; i < v->times.nr; i++) {
		ALLOC_GROW(deltas->list, deltas->nr, deltas->alloc);
		deltas->list[deltas->nr++] = i ? times[i] - times[i - 1] : 0;
	}
}

static bool has_samples(const struct v8_profile *v)
{
	return v->samples.nr && !v->has_sizes;
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
	double now, carry = 0;
	uint32_t before = JSON_NONE;

	join_nodes(v);
	set_deltas(v);
	now = v->started;
	if (!has_samples(v))
		add_counts(v, task);
	for (size_t i = 0; i < v->samples.nr && has_samples(v); i++) {
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
	profile_set(&in->p->unit, v.has_sizes ? "bytes" : has_samples(&v) ? "us" : "samples");
	wrong = v.tree.wrong;
	v8_profile_release(&v);
	add_capped(&in->p->account.lost[LOST_UNREADABLE], wrong);
	if (wrong)
		strbuf_addf(in->notes,
			"samples left out: %" PRIu64 ", of nodes that are not there\n", wrong);
	return wrong != 0;
}
