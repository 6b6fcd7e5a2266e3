/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter.h"
#include "input/stack_account.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "skid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void filter_release(struct filter *f)
{
	function_match_release_all(&f->only);
	function_match_release_all(&f->modules);
	function_match_release_all(&f->exclude);
	function_match_release_all(&f->skip_after);
}

/*
 * Returns for each frame whether one of the patterns matches its name. The caller frees the list.
 */
static bool *matches(const struct profile *p, const struct function_match_list *list)
{
	bool *match = xcalloc(p->nr_frames, sizeof(*match));

	for (uint32_t i = 1; i < p->nr_frames; i++) {
		for (size_t k = 0; k < list->nr && !match[i]; k++)
			match[i] = function_match_frame(&list->list[k], p, i);
	}
	return match;
}

/* Replaces P's tree by TREE, which has the same frames. */
static void replace_tree(struct profile *p, struct profile *tree)
{
	profile_describe(tree, p);
	profile_release(p);
	*p = *tree;
}

/*
 * Sets the weights of all stacks to 0 that have a frame in LIST, or of all others, as WITH tells.
 * Returns their sum.
 */
static uint64_t take_stacks(const struct function_match_list *list, bool with, struct profile *p)
{
	bool *match = matches(p, list);
	bool *has = xcalloc(p->nr_nodes, sizeof(*has));
	uint64_t left_out = 0;

	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		struct profile_node *n = &p->nodes[i];

		has[i] = i && (has[n->parent] || match[n->frame]);
		if (has[i] != with)
			continue;
		add_capped(&left_out, n->self);
		profile_clear_self(p, i);
	}
	free(has);
	free(match);
	return left_out;
}

/* Returns for each node whether it has inclusive weight, or counts. The caller frees the list. */
static bool *find_weight(const struct profile *p)
{
	bool *weight = xcalloc(p->nr_nodes, sizeof(*weight));

	for (uint32_t i = p->nr_nodes; i--;) { /* a parent's number is below its children's */
		weight[i] |= p->nodes[i].self != 0 || profile_has_counts(p, i);
		weight[p->nodes[i].parent] |= weight[i];
	}
	return weight;
}

/* Rebuilds the tree from the nodes that have weight. MATCH frames become children of the root. */
static void rebuild(struct profile *p, const bool *match)
{
	bool *weight = find_weight(p);
	uint32_t *node_of = xcalloc(p->nr_nodes, sizeof(*node_of)), *frame_of;
	struct profile tree;

	profile_init(&tree);
	frame_of = profile_import_frames(&tree, p);
	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		const struct profile_node *n = &p->nodes[i];

		if (!weight[i])
			continue;
		if (i)
			node_of[i] = profile_child(&tree, match[n->frame] ? 0 : node_of[n->parent],
				frame_of[n->frame]);
		profile_add_self(&tree, node_of[i], p, i);
	}
	replace_tree(p, &tree);
	free(frame_of);
	free(node_of);
	free(weight);
}

/*
 * Reversed stacks do not share their callers: the size of a reversed tree can be the square of its
 * depth. This many nodes take 2 GB.
 */
enum { REVERSED_MAX = 1 << 26 };

/* Returns the number of frames in all stacks. */
static uint64_t count_frames(const struct profile *p)
{
	uint32_t *depth = xcalloc(p->nr_nodes, sizeof(*depth));
	uint64_t sum = 0;

	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* a parent's number is below its children's */
		depth[i] = depth[p->nodes[i].parent] + 1;
		sum += p->nodes[i].self ? depth[i] : 0;
	}
	free(depth);
	return sum;
}

int filter_reverse(const struct profile *p, struct profile *out, struct strbuf *err)
{
	uint64_t frames = count_frames(p);

	if (frames > REVERSED_MAX)
		return fail(err,
			"cannot reverse the stacks: they have %" PRIu64
			" frames, more than %d; select some with --only\n",
			frames, REVERSED_MAX);
	uint32_t *frame_of = profile_import_frames(out, p);

	for (uint32_t node = 0; node < p->nr_nodes; node++) {
		uint32_t at = 0;

		if (!p->nodes[node].self && !profile_has_counts(p, node))
			continue;
		for (uint32_t from = node; from; from = p->nodes[from].parent)
			at = profile_child(out, at, frame_of[p->nodes[from].frame]);
		profile_add_self(out, at, p, node);
	}
	profile_describe(out, p);
	out->reversed = !p->reversed;
	free(frame_of);
	return 0;
}

int filter_turn(struct profile *p, struct strbuf *err)
{
	struct profile reversed;
	int ret;

	profile_init(&reversed);
	ret = filter_reverse(p, &reversed, err);
	if (ret < 0) {
		profile_release(&reversed);
		return ret;
	}
	profile_release(p);
	*p = reversed;
	return 0;
}

/* Leaves out stacks, and says so. Returns false if none are to be left out. */
static bool select_stacks(const struct filter *f, struct profile *p, struct strbuf *notes)
{
	const struct {
		const char *option;
		const struct function_match_list *list;
		bool with;
	} all[] = {{"--only", &f->only, false}, {"--module", &f->modules, false},
		{"--exclude", &f->exclude, true}};
	struct strbuf options = STRBUF_INIT;
	uint64_t left_out = 0;
	bool any;

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		if (!all[i].list->nr)
			continue;
		strbuf_addf(&options, "%s%s", options.len ? " and " : "", all[i].option);
		add_capped(&left_out, take_stacks(all[i].list, all[i].with, p));
	}
	any = options.len;
	if (any)
		profile_recount(p);
	if (left_out)
		strbuf_addf(notes, "left out by %s: %" PRIu64 " %s of %" PRIu64 "\n", options.buf,
			left_out, p->unit, p->account.kept + left_out);
	add_capped(&p->account.left_out, left_out);
	strbuf_release(&options);
	return any;
}

int filter_apply(const struct filter *f, struct profile *p, struct strbuf *notes)
{
	bool selects = select_stacks(f, p, notes);

	if (f->skid)
		skid_to_callers(p);
	if (f->skid || selects || f->skip_after.nr) {
		bool *match = matches(p, &f->skip_after);

		rebuild(p, match);
		free(match);
	}
	return f->reverse ? filter_turn(p, notes) : 0;
}
