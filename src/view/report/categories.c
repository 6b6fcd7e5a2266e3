/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "categories.h"
#include "lib/util.h"

#include <stdlib.h>
#include <string.h>

/*
 * While frames are matched, numbers below NR_RULES are rules, and higher numbers are NR_RULES + the
 * number of a name in OTHERS. Afterwards, numbers are replaced by ranks.
 */
struct ranking {
	const struct rules *rules;
	uint32_t nr_rules;
	struct strpool others; /* default categories of frames that no rule matches */
	uint32_t *rank;        /* rank of each number, or 0 if the number is not used */
};

/* Whether the default category of frames of KIND is the kind. Otherwise it is the module. */
static bool is_of_its_kind(enum frame_kind kind)
{
	return kind != FRAME_USER && kind != FRAME_INLINE;
}

static uint32_t name_without_rule(struct strpool *names, const struct profile *p, uint32_t frame)
{
	enum frame_kind kind = rules_is_kernel(p, frame) ? FRAME_KERNEL : p->frames[frame].kind;
	size_t len;
	const char *module = rules_module(p, frame, &len);

	if (is_of_its_kind(kind))
		return strpool_adds(names, frame_kind_word(kind));
	return len ? strpool_add(names, module, len)
		   : strpool_adds(names, frame_kind_word(FRAME_USER));
}

static struct frame_ranks numbers_of(struct ranking *r, const struct profile *p, uint32_t frame)
{
	struct rules_match match = rules_match(r->rules, p, frame);

	if (match.own == r->nr_rules)
		match.own += name_without_rule(&r->others, p, frame);
	return (struct frame_ranks){.own = match.own, .passed = match.passed};
}

static void add_rank(struct categories *c, struct ranking *r, uint32_t number, uint32_t name)
{
	r->rank[number] = c->nr_ranks;
	c->names_of[c->nr_ranks++] = name;
}

static int compare_others(const void *a, const void *b, void *others)
{
	return strpool_compare(others, *(const uint32_t *)a, *(const uint32_t *)b);
}

static void rank_others(struct categories *c, struct ranking *r)
{
	uint32_t nr = r->others.nr - 1; /* without the empty string */
	uint32_t *order = xcalloc(nr, sizeof(*order));

	for (uint32_t i = 0; i < nr; i++)
		order[i] = i + 1;
	qsort_r(order, nr, sizeof(*order), compare_others, &r->others);
	for (uint32_t i = 0; i < nr; i++)
		add_rank(c, r, r->nr_rules + order[i],
			strpool_adds(&c->names, strpool_get(&r->others, order[i])));
	free(order);
}

static void rank_all(struct categories *c, struct ranking *r, uint32_t nr_frames)
{
	uint32_t nr = r->nr_rules + r->others.nr;

	r->rank = xcalloc(nr, sizeof(*r->rank));
	c->names_of = xcalloc(nr, sizeof(*c->names_of));
	for (uint32_t i = 1; i < nr_frames; i++)
		r->rank[c->frames[i].own] = r->rank[c->frames[i].passed] = 1;
	for (uint32_t i = 0; i < r->nr_rules; i++)
		if (r->rank[i])
			add_rank(c, r, i, strpool_adds(&c->names, rules_category(r->rules, i)));
	rank_others(c, r);
	r->rank[r->nr_rules] = c->nr_ranks; /* nothing to inherit */
}

void categories_init(struct categories *c, const struct profile *p, const struct rules *rules)
{
	struct rules *built_in = rules ? NULL : rules_new();
	struct ranking r = {.rules = rules ? rules : built_in};

	*c = (struct categories){0};
	strpool_init(&c->names);
	strpool_init(&r.others);
	r.nr_rules = rules_nr(r.rules);
	c->frames = xcalloc(p->nr_frames, sizeof(*c->frames));
	for (uint32_t i = 1; i < p->nr_frames; i++)
		c->frames[i] = numbers_of(&r, p, i);
	rank_all(c, &r, p->nr_frames);
	for (uint32_t i = 1; i < p->nr_frames; i++) {
		c->frames[i].own = r.rank[c->frames[i].own];
		c->frames[i].passed = r.rank[c->frames[i].passed];
		c->passes |= c->frames[i].passed != c->nr_ranks;
	}
	strpool_release(&r.others);
	free(r.rank);
	rules_free(built_in);
}

void categories_release(struct categories *c)
{
	strpool_release(&c->names);
	free(c->names_of);
	free(c->frames);
	*c = (struct categories){0};
}

const char *category_name(const struct categories *c, uint32_t rank)
{
	return strpool_get(&c->names, c->names_of[rank]);
}

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t *categories_of_nodes(const struct categories *c, const struct profile *p)
{
	uint32_t *rank = xcalloc(p->nr_nodes, sizeof(*rank));
	uint32_t *passed = c->passes ? xcalloc(p->nr_nodes, sizeof(*passed)) : NULL;

	if (passed)
		passed[0] = c->nr_ranks;
	for (uint32_t i = 1; i < p->nr_nodes; i++) { /* a parent's number is below its children's */
		const struct frame_ranks *frame = &c->frames[p->nodes[i].frame];

		rank[i] = frame->own;
		if (passed) {
			rank[i] = lower(rank[i], passed[p->nodes[i].parent]);
			passed[i] = lower(frame->passed, passed[p->nodes[i].parent]);
		}
	}
	free(passed);
	return rank;
}
