/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"
#include "lib/hash.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void index_init(struct profile_index *index)
{
	index->mask = 63;
	index->slots = xcalloc(index->mask + 1, sizeof(*index->slots));
}

static void init_frames(struct profile *p)
{
	p->frames = NULL;
	p->nr_frames = p->frames_alloc = 0;
	ALLOC_GROW(p->frames, p->nr_frames, p->frames_alloc);
	p->frames[p->nr_frames++] = (struct frame){0}; /* frame 0 is the root's */
	index_init(&p->by_frame);
}

static void init_nodes(struct profile *p)
{
	p->nodes = NULL;
	p->nr_nodes = p->nodes_alloc = 0;
	ALLOC_GROW(p->nodes, p->nr_nodes, p->nodes_alloc);
	p->nodes[p->nr_nodes++] = (struct profile_node){0};
	index_init(&p->by_node);
}

void profile_init(struct profile *p)
{
	*p = (struct profile){0};
	strpool_init(&p->names);
	init_frames(p);
	init_nodes(p);
	p->unit = xstrdup("samples");
	cuts_init(&p->cuts);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_init(&p->counted[i]);
	ranges_init(&p->ranges);
}

void profile_release(struct profile *p)
{
	strpool_release(&p->names);
	free(p->frames);
	free(p->nodes);
	cuts_release(&p->cuts);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_release(&p->counted[i]);
	ranges_release(&p->ranges);
	profile_times_release(&p->times);
	free(p->by_frame.slots);
	free(p->by_node.slots);
	free(p->title);
	free(p->unit);
	free(p->event);
	origin_release(&p->origin);
	*p = (struct profile){0};
}

void profile_set(char **field, const char *value)
{
	free(*field);
	*field = value ? xstrdup(value) : NULL;
}

static void add_target(const char *target, struct strbuf *out)
{
	enum { TARGET_MAX = 200 }; /* bytes */
	size_t len = strlen(target), cut = len > TARGET_MAX ? TARGET_MAX : len;

	while (cut < len && cut && (target[cut] & 0xc0) == 0x80) /* inside of a character */
		cut--;
	strbuf_adds(out, ": ");
	strbuf_add(out, target, cut);
	strbuf_adds(out, cut < len ? "..." : "");
}

void profile_heading(const struct profile *p, struct strbuf *out)
{
	const char *target = p->origin.target;

	if (p->title)
		strbuf_adds(out, p->title);
	if (p->title && !p->titled && target && *target)
		add_target(target, out);
}

void profile_describe(struct profile *p, const struct profile *from)
{
	profile_set(&p->title, from->title);
	profile_set(&p->unit, from->unit);
	profile_set(&p->event, from->event);
	p->titled = from->titled;
	p->timing = from->timing;
	origin_copy(&p->origin, &from->origin);
	p->account = from->account;
	cuts_release(&p->cuts);
	cuts_init(&p->cuts);
	cuts_add_all(&p->cuts, &from->cuts);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_copy(&p->counted[i], &from->counted[i]);
	ranges_merge(&p->ranges, &from->ranges);
	p->times.slice_ns = from->times.slice_ns;
	p->times.begin_ns = from->times.begin_ns;
	p->times.nr = from->times.nr;
	p->reversed = from->reversed;
	p->tasks = from->tasks;
	p->states = from->states;
	p->no_states = from->no_states;
	p->unlabelled = from->unlabelled;
}

const char *profile_differs(const struct profile *p, const struct profile *other)
{
	if (strcmp(p->unit, other->unit))
		return p->unit;
	return p->event && other->event && strcmp(p->event, other->event) ? p->event : NULL;
}

static uint64_t frame_hash(const struct frame *f)
{
	return hash_pair((uint64_t)f->name << 32 | (f->module ^ f->place << 16),
		(uint64_t)f->source << 32 | (uint64_t)f->label << 8 | f->kind);
}

static uint64_t node_hash(uint32_t parent, uint32_t frame)
{
	return hash_pair(parent, frame);
}

static uint64_t hash_of_frame(const struct profile *p, uint32_t id)
{
	return frame_hash(&p->frames[id]);
}

static uint64_t hash_of_node(const struct profile *p, uint32_t id)
{
	return node_hash(p->nodes[id].parent, p->nodes[id].frame);
}

/* Inserts ID, and doubles the index if it is half full. */
static void index_add(struct profile_index *index, uint32_t id, const struct profile *p,
	uint64_t (*hash_of)(const struct profile *, uint32_t))
{
	if (index->nr >= index->mask / 2) {
		struct profile_index old = *index;

		*index = (struct profile_index){.mask = old.mask * 2 + 1};
		index->slots = xcalloc((size_t)index->mask + 1, sizeof(*index->slots));
		for (uint32_t k = 0; k <= old.mask; k++)
			if (old.slots[k])
				index_add(index, old.slots[k], p, hash_of);
		free(old.slots);
	}
	uint32_t i = (uint32_t)hash_of(p, id) & index->mask;

	while (index->slots[i])
		i = (i + 1) & index->mask;
	index->slots[i] = id;
	index->nr++;
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->name == b->name && a->module == b->module && a->source == b->source &&
	       a->place == b->place && a->kind == b->kind && a->label == b->label;
}

/* Extends the lines of F by the lines of an equal frame, if they are in the same file. */
static void widen_lines(struct frame *f, const struct frame *other)
{
	if (!other->first_line || (f->first_line && f->file != other->file))
		return;
	if (!f->first_line || other->first_line < f->first_line)
		f->first_line = other->first_line;
	if (other->last_line > f->last_line)
		f->last_line = other->last_line;
	f->file = other->file;
}

static void check_frames(const struct profile *p)
{
	if (p->nr_frames < PROFILE_FRAMES_MAX)
		return;
	fprintf(stderr, "%s: there are more than %d different frames: take a part of the input\n",
		program_invocation_short_name, PROFILE_FRAMES_MAX - 1);
	exit(EXIT_FAILED);
}

uint32_t profile_add_frame(struct profile *p, const struct frame *frame)
{
	uint32_t i = (uint32_t)frame_hash(frame) & p->by_frame.mask;

	for (; p->by_frame.slots[i]; i = (i + 1) & p->by_frame.mask)
		if (same_frame(&p->frames[p->by_frame.slots[i]], frame)) {
			widen_lines(&p->frames[p->by_frame.slots[i]], frame);
			return p->by_frame.slots[i];
		}
	check_frames(p);
	ALLOC_GROW(p->frames, p->nr_frames, p->frames_alloc);
	p->frames[p->nr_frames] = *frame;
	index_add(&p->by_frame, p->nr_frames, p, hash_of_frame);
	return p->nr_frames++;
}

uint32_t profile_frame(struct profile *p, enum frame_kind kind, const char *name, size_t name_len,
	const char *module, size_t module_len)
{
	struct frame f = {
		.name = strpool_add(&p->names, name, name_len),
		.module = module ? strpool_add(&p->names, module, module_len) : 0,
		.kind = kind,
	};

	return profile_add_frame(p, &f);
}

struct frame profile_import_frame(struct profile *p, const struct profile *from, uint32_t frame)
{
	const struct frame *f = &from->frames[frame];

	return (struct frame){
		.name = strpool_import(&p->names, &from->names, f->name),
		.module = strpool_import(&p->names, &from->names, f->module),
		.source = strpool_import(&p->names, &from->names, f->source),
		.place = strpool_import(&p->names, &from->names, f->place),
		.kind = f->kind,
		.label = f->label,
		.file = strpool_import(&p->names, &from->names, f->file),
		.first_line = f->first_line,
		.last_line = f->last_line,
	};
}

uint32_t *profile_import_frames(struct profile *p, const struct profile *from)
{
	uint32_t *frame_of = xcalloc(from->nr_frames, sizeof(*frame_of));

	for (uint32_t i = 1; i < from->nr_frames; i++) {
		struct frame frame = profile_import_frame(p, from, i);

		frame_of[i] = profile_add_frame(p, &frame);
	}
	return frame_of;
}

/*
 * Up to this many children are searched as a list, which is mostly consecutive in memory. More
 * children are searched by index.
 */
enum { FEW = 8 };

/* Finds a child and moves it to the front, because it is likely to be looked up again soon. */
static uint32_t find_in_list(struct profile_node *nodes, uint32_t node, uint32_t frame)
{
	uint32_t before = 0, c = nodes[node].child;

	for (; c && nodes[c].frame != frame; c = nodes[c].next)
		before = c;
	if (c && before) {
		nodes[before].next = nodes[c].next;
		nodes[c].next = nodes[node].child;
		nodes[node].child = c;
	}
	return c;
}

static uint32_t find_child(struct profile *p, uint32_t node, uint32_t frame)
{
	if (p->nodes[node].children <= FEW)
		return find_in_list(p->nodes, node, frame);

	uint32_t i = (uint32_t)node_hash(node, frame) & p->by_node.mask, c;

	while ((c = p->by_node.slots[i])) {
		if (p->nodes[c].parent == node && p->nodes[c].frame == frame)
			return c;
		i = (i + 1) & p->by_node.mask;
	}
	return 0;
}

uint32_t profile_child(struct profile *p, uint32_t node, uint32_t frame)
{
	uint32_t id = find_child(p, node, frame);

	if (id)
		return id;
	ALLOC_GROW(p->nodes, p->nr_nodes, p->nodes_alloc);
	id = p->nr_nodes++;
	p->nodes[id] = (struct profile_node){
		.frame = frame,
		.parent = node,
		.next = p->nodes[node].child,
	};
	p->nodes[node].child = id;
	if (++p->nodes[node].children == FEW + 1)
		for (uint32_t c = id; c; c = p->nodes[c].next)
			index_add(&p->by_node, c, p, hash_of_node);
	else if (p->nodes[node].children > FEW)
		index_add(&p->by_node, id, p, hash_of_node);
	return id;
}

void profile_add(struct profile *p, const uint32_t *frames, size_t n, uint64_t weight)
{
	uint32_t node = 0;

	for (size_t i = 0; i < n; i++)
		node = profile_child(p, node, frames[i]);
	add_capped(&p->nodes[node].self, weight);
}

bool profile_has_counts(const struct profile *p, uint32_t node)
{
	for (size_t i = 0; i < COUNTED_MAX; i++)
		if (value_counts_of_node(&p->counted[i], node))
			return true;
	return false;
}

void profile_add_self(struct profile *p, uint32_t node, const struct profile *from, uint32_t other)
{
	add_capped(&p->nodes[node].self, from->nodes[other].self);
	if (from->nodes[other].self)
		profile_times_add(&p->times, node, &from->times.series,
			profile_times_of(&from->times, other));
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_add_from(&p->counted[i], node, &from->counted[i], other);
}

void profile_move_self(struct profile *p, uint32_t node, uint32_t other)
{
	profile_add_self(p, node, p, other);
	profile_clear_self(p, other);
}

void profile_clear_self(struct profile *p, uint32_t node)
{
	p->nodes[node].self = 0;
	profile_times_clear(&p->times, node);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		value_counts_clear_node(&p->counted[i], node);
}

void profile_add_tree(struct profile *p, const struct profile *from, const uint32_t *frame_of)
{
	uint32_t *node_of = xcalloc(from->nr_nodes, sizeof(*node_of));

	/* a parent's number is below its children's */
	for (uint32_t i = 0; i < from->nr_nodes; i++) {
		const struct profile_node *n = &from->nodes[i];

		if (i)
			node_of[i] = node_of[n->parent];
		if (i && frame_of[n->frame])
			node_of[i] = profile_child(p, node_of[i], frame_of[n->frame]);
		profile_add_self(p, node_of[i], from, i);
	}
	free(node_of);
}

/* Rebuilds P's nodes from the nodes of OLD after P's frames have changed. */
static void rebuild_tree(struct profile *p, struct profile *old, const uint32_t *frame_of)
{
	init_nodes(p);
	p->times.series = (struct series_pool){0};
	p->times.of = NULL;
	p->times.nr_of = 0;
	for (size_t i = 0; i < COUNTED_MAX; i++) {
		p->counted[i].of_node = NULL;
		p->counted[i].nr_nodes = 0;
	}
	profile_add_tree(p, old, frame_of);
	for (size_t i = 0; i < COUNTED_MAX; i++)
		free(old->counted[i].of_node);
	free(old->nodes);
	free(old->by_node.slots);
	profile_times_release(&old->times);
}

void profile_leave_out(struct profile *p, const bool *out)
{
	struct profile old = *p;
	uint32_t *frame_of = xcalloc(old.nr_frames, sizeof(*frame_of));

	init_frames(p);
	for (uint32_t i = 1; i < old.nr_frames; i++)
		if (!out[i])
			frame_of[i] = profile_add_frame(p, &old.frames[i]);
	rebuild_tree(p, &old, frame_of);
	free(old.frames);
	free(old.by_frame.slots);
	free(frame_of);
}

void profile_rename(struct profile *p, const uint32_t *names)
{
	struct profile old = *p;
	uint32_t *frame_of = xcalloc(old.nr_frames, sizeof(*frame_of));

	init_frames(p);
	for (uint32_t i = 1; i < old.nr_frames; i++) {
		struct frame frame = old.frames[i];

		frame.name = names[i];
		frame_of[i] = profile_add_frame(p, &frame);
	}
	if (p->nr_frames < old.nr_frames)
		rebuild_tree(p, &old, frame_of);
	free(old.frames);
	free(old.by_frame.slots);
	free(frame_of);
}

const char *profile_name(const struct profile *p, uint32_t frame, size_t *len)
{
	if (len)
		*len = strpool_len(&p->names, p->frames[frame].name);
	return strpool_get(&p->names, p->frames[frame].name);
}

const char *profile_module(const struct profile *p, uint32_t frame)
{
	return strpool_get(&p->names, p->frames[frame].module);
}

int profile_compare_frames(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct frame *fa = &p->frames[a], *fb = &p->frames[b];
	int c = strpool_compare(&p->names, fa->name, fb->name);

	if (!c)
		c = (fa->kind > fb->kind) - (fa->kind < fb->kind);
	if (!c)
		c = strpool_compare(&p->names, fa->module, fb->module);
	return c ? c : strpool_compare(&p->names, fa->source, fb->source);
}

static int compare_frames(const void *va, const void *vb, void *p)
{
	return profile_compare_frames(p, *(const uint32_t *)va, *(const uint32_t *)vb);
}

/* Returns the rank of every frame in sorting order. The caller frees the array. */
static uint32_t *rank_frames(struct profile *p)
{
	uint32_t *order = xcalloc(p->nr_frames, sizeof(*order));
	uint32_t *rank = xcalloc(p->nr_frames, sizeof(*rank));

	for (uint32_t i = 0; i < p->nr_frames; i++)
		order[i] = i;
	qsort_r(order + 1, p->nr_frames - 1, sizeof(*order), compare_frames, p);
	for (uint32_t i = 0; i < p->nr_frames; i++)
		rank[order[i]] = i;
	free(order);
	return rank;
}

struct child {
	uint32_t node, rank;
	uint64_t weight; /* or 0 to sort only by rank */
};

static int compare_children(const void *va, const void *vb)
{
	const struct child *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void sort_children(struct profile *p, uint32_t parent, const uint32_t *rank,
	struct child **list, size_t *alloc)
{
	size_t n = 0;

	for (uint32_t c = p->nodes[parent].child; c; c = p->nodes[c].next) {
		ALLOC_GROW(*list, n, *alloc);
		(*list)[n++] = (struct child){
			c, rank[p->nodes[c].frame], p->reversed ? p->nodes[c].total : 0};
	}
	if (n < 2)
		return;
	qsort(*list, n, sizeof(**list), compare_children);
	p->nodes[parent].child = (*list)[0].node;
	for (size_t i = 0; i < n; i++)
		p->nodes[(*list)[i].node].next = i + 1 < n ? (*list)[i + 1].node : 0;
}

void profile_finish(struct profile *p)
{
	uint32_t *rank = rank_frames(p);
	struct child *list = NULL;
	size_t alloc = 0;

	profile_add_up(p);
	for (uint32_t i = 0; i < p->nr_nodes; i++)
		sort_children(p, i, rank, &list, &alloc);
	free(list);
	free(rank);
}

void profile_add_up(struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_nodes; i++)
		p->nodes[i].total = p->nodes[i].self;
	for (uint32_t i = p->nr_nodes - 1; i; i--) /* a parent's number is below its children's */
		add_capped(&p->nodes[p->nodes[i].parent].total, p->nodes[i].total);
}

static const struct {
	const char *suffix, *word;
} kinds[FRAME_KINDS] = {
	[FRAME_USER] = {"", "user"},
	[FRAME_KERNEL] = {"_[k]", "kernel"},
	[FRAME_INLINE] = {"_[i]", "inlined"},
	[FRAME_JIT] = {"_[j]", "jit"},
	[FRAME_WAKER] = {"_[w]", "waker"},
	[FRAME_TASK] = {"", "task"},
	[FRAME_NOTE] = {"", "note"},
};

const char *frame_kind_suffix(enum frame_kind kind)
{
	return frame_language(kind) ? "" : kinds[kind].suffix;
}

const char *frame_kind_word(enum frame_kind kind)
{
	const struct language *language = frame_language(kind);

	return language ? language->name : kinds[kind].word;
}

const struct language *frame_language(enum frame_kind kind)
{
	unsigned i = (unsigned)kind - FRAME_LANGUAGE;

	return i < NR_LANGUAGES ? &languages[i] : NULL;
}

enum frame_kind language_frame(const struct language *language)
{
	return (enum frame_kind)(FRAME_LANGUAGE + (language - languages));
}
