/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "splice.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

#include <stdlib.h>

/* ---- native functions ---- */

static void add_range(struct splice_code *code, const struct elf_variable *at, unsigned role)
{
	if (code->nr < ARRAY_LEN(code->ranges))
		code->ranges[code->nr++] =
			(struct splice_range){at->address, at->address + at->size, role};
}

bool splice_code_add(
	struct splice_code *code, const struct elffile *elf, const char *name, unsigned role)
{
	struct elf_variable at;

	if (role == SPLICE_LOOP)
		elffacts_ask((struct elf_question[]){{elf, FACT_VARIABLE, name, 0, NULL},
				     {elf, FACT_COLD_PART, name, 0, NULL}},
			2);
	if (!elffacts_variable(elf, name, &at) || !at.size)
		return false;
	add_range(code, &at, role);
	if (role == SPLICE_LOOP && elffacts_cold_part(elf, name, &at))
		add_range(code, &at, role);
	return true;
}

unsigned splice_code_role(const struct splice_code *code, uint64_t address)
{
	for (size_t i = 0; i < code->nr; i++)
		if (address >= code->ranges[i].start && address < code->ranges[i].end)
			return code->ranges[i].role;
	return code->nr ? SPLICE_INSIDE : SPLICE_ELSEWHERE;
}

/* ---- run loops and their beginners ---- */

struct loop {
	size_t frame; /* index in native */
	/*
	 * The role of the function that began the loop: the nearest function with a role of its own
	 * after the previous loop, or else SPLICE_INSIDE. It is SPLICE_ELSEWHERE if the loop was
	 * called from another file.
	 */
	unsigned by;
	bool extra; /* without a beginner */
};

/* The beginners and the loops are in order, outermost first. */
struct work {
	const struct splice *s;
	struct splice_beginner *beginners;
	struct loop *loops;
	size_t nr_beginners, nr_loops;
	unsigned *costs;  /* least costs of the first I beginners and J loops */
	int *frame_loops; /* the loop of each VM frame */
};

static void find_loops(struct work *w)
{
	const struct splice *s = w->s;
	unsigned by = SPLICE_INSIDE;

	for (size_t i = s->nr_native; i--;) {
		unsigned role = s->native[i].role;
		bool from_elsewhere =
			i + 1 == s->nr_native || s->native[i + 1].role == SPLICE_ELSEWHERE;

		if (role >= SPLICE_OWN) {
			by = role;
		} else if (role == SPLICE_LOOP) {
			w->loops[w->nr_loops++] =
				(struct loop){i, from_elsewhere ? SPLICE_ELSEWHERE : by, false};
			by = SPLICE_INSIDE;
		}
	}
}

static void find_beginners(struct work *w)
{
	w->nr_beginners = w->s->rules->find_beginners(w->s, w->beginners);
	for (size_t i = 0; i < w->nr_beginners; i++)
		w->beginners[i].loop = SPLICE_NO_LOOP;
}

/* ---- alignment of loops and beginners ---- */

static unsigned *cost_at(struct work *w, size_t i, size_t j)
{
	return &w->costs[i * (w->nr_loops + 1) + j];
}

static unsigned add_cost(unsigned a, unsigned b)
{
	return a + b < SPLICE_NEVER ? a + b : SPLICE_NEVER;
}

/* Returns the cost if the I-th beginner and the J-th loop, counted from 1, are partners. */
static unsigned cost_of_match(struct work *w, size_t i, size_t j)
{
	return add_cost(*cost_at(w, i - 1, j - 1),
		w->s->rules->costs[w->beginners[i - 1].kind].with[w->loops[j - 1].by]);
}

static unsigned cost_of_skip(struct work *w, size_t i, size_t j)
{
	const struct splice_beginner *b = &w->beginners[i - 1];

	return add_cost(*cost_at(w, i - 1, j),
		b->has_more ? SPLICE_NEVER : w->s->rules->costs[b->kind].without);
}

/*
 * Returns the cost of a loop without a beginner, which is least where a beginner may have left it
 * behind.
 */
static unsigned cost_of_extra(struct work *w, size_t i, size_t j)
{
	const struct splice_beginner *b = i ? &w->beginners[i - 1] : NULL;
	unsigned by = w->loops[j - 1].by, cost = w->s->rules->extra[by];

	if (!b && w->s->end == VM_CUT)
		cost = 0;
	else if (b && b->goes_on && by == SPLICE_INSIDE)
		cost = 1;
	return add_cost(*cost_at(w, i, j - 1), cost);
}

static unsigned lower(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned least_cost(struct work *w, size_t i, size_t j)
{
	unsigned cost = i || j ? SPLICE_NEVER : 0;

	if (i && j)
		cost = cost_of_match(w, i, j);
	if (i)
		cost = lower(cost, cost_of_skip(w, i, j));
	if (j)
		cost = lower(cost, cost_of_extra(w, i, j));
	return cost;
}

/*
 * Takes the partners of the alignment with the least cost. If there are several, takes the one with
 * the outermost partners.
 */
static void take_partners(struct work *w)
{
	size_t i = w->nr_beginners, j = w->nr_loops;

	while (i || j) {
		unsigned cost = *cost_at(w, i, j);

		if (j && cost_of_extra(w, i, j) == cost) {
			w->loops[--j].extra = true;
		} else if (i && cost_of_skip(w, i, j) == cost) {
			i--;
		} else {
			i--;
			j--;
			w->beginners[i].loop = (int)j;
		}
	}
}

/* Aligns loops and beginners. Returns false if they cannot be aligned. */
static bool align(struct work *w)
{
	size_t rows = w->nr_beginners + 1, columns = w->nr_loops + 1;

	w->costs = xcalloc(rows * columns, sizeof(*w->costs));
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			*cost_at(w, i, j) = least_cost(w, i, j);
	if (*cost_at(w, rows - 1, columns - 1) >= SPLICE_NEVER)
		return false;
	take_partners(w);
	return true;
}

/* ---- the loops of frames ---- */

/* Returns the last loop that was left behind on LOOP, which B began, or LOOP itself. */
static int loop_going_on(const struct work *w, const struct splice_beginner *b, int loop)
{
	while (b->goes_on && loop + 1 < (int)w->nr_loops && w->loops[loop + 1].extra &&
		w->loops[loop + 1].by == SPLICE_INSIDE)
		loop++;
	return loop;
}

static int first_partner(const struct work *w)
{
	for (size_t i = 0; i < w->nr_beginners; i++)
		if (w->beginners[i].loop != SPLICE_NO_LOOP)
			return w->beginners[i].loop;
	return SPLICE_NO_LOOP;
}

/* Returns the loop that the frame of B is on. CURRENT is the loop of the frames below it. */
static int loop_of(const struct work *w, const struct splice_beginner *b, int current)
{
	bool is_last = b == &w->beginners[w->nr_beginners - 1];

	if (b->loop != SPLICE_NO_LOOP)
		return b->loop;
	if (b->needs_loop)
		return SPLICE_NO_LOOP;
	if (b->with_next && !is_last && b[1].loop != SPLICE_NO_LOOP)
		return b[1].loop;
	return current == SPLICE_NO_LOOP ? first_partner(w) : current;
}

static void place_frames(struct work *w)
{
	const struct splice_beginner *b = w->beginners, *end = b + w->nr_beginners;
	int current = SPLICE_NO_LOOP;

	if (b < end && b->frame == w->s->nr_frames)
		current = (b++)->loop;
	for (size_t i = w->s->nr_frames; i--;) {
		if (b == end || b->frame != i) {
			w->frame_loops[i] = current;
			continue;
		}
		w->frame_loops[i] = loop_of(w, b, current);
		if (b->loop != SPLICE_NO_LOOP)
			current = loop_going_on(w, b, b->loop);
		b++;
	}
}

/* ---- the merged stack ---- */

struct merged {
	uint32_t *ids;
	size_t nr;
};

static void add_frame(struct merged *m, const struct splice *s, size_t i)
{
	if (s->rules->is_frame(s->frames[i].what))
		m->ids[m->nr++] = s->frames[i].id;
}

/* Adds the native frames from FROM up to TO. */
static void add_native(struct merged *m, const struct splice *s, size_t from, size_t to)
{
	while (from < to)
		m->ids[m->nr++] = s->native[from++].id;
}

static void merge(const struct work *w, struct merged *m)
{
	const struct splice *s = w->s;
	size_t at = 0, f = 0;

	for (int loop = (int)w->nr_loops; loop--;) {
		add_native(m, s, at, w->loops[loop].frame);
		at = w->loops[loop].frame + (s->rules->in_place && !w->loops[loop].extra);
		for (; f < s->nr_frames &&
			(w->frame_loops[f] == loop || w->frame_loops[f] == SPLICE_NO_LOOP);
			f++)
			if (w->frame_loops[f] == loop)
				add_frame(m, s, f);
	}
	add_native(m, s, at, s->nr_native);
}

static void merge_cut(const struct splice *s, struct merged *m)
{
	size_t innermost = 0;

	while (innermost < s->nr_native && s->native[innermost].role != SPLICE_LOOP)
		innermost++;
	add_native(m, s, 0, innermost);
	for (size_t i = 0; i < s->nr_frames; i++)
		add_frame(m, s, i);
}

static void merge_inconsistent(const struct splice *s, struct merged *m)
{
	size_t outermost = s->nr_native;

	for (size_t i = 0; i < s->nr_native; i++)
		if (s->native[i].role == SPLICE_LOOP)
			outermost = i;
	add_native(m, s, 0, outermost);
	m->ids[m->nr++] = s->inconsistent;
	add_native(m, s, outermost, s->nr_native);
}

static bool merge_whole(const struct splice *s, struct merged *m)
{
	struct work w = {
		.s = s,
		.beginners = xcalloc(s->nr_frames + 1, sizeof(*w.beginners)),
		.loops = xcalloc(s->nr_native + 1, sizeof(*w.loops)),
		.frame_loops = xcalloc(s->nr_frames + 1, sizeof(*w.frame_loops)),
	};

	find_loops(&w);
	find_beginners(&w);
	bool fits = align(&w);

	if (fits) {
		place_frames(&w);
		merge(&w, m);
	}
	free(w.beginners);
	free(w.loops);
	free(w.costs);
	free(w.frame_loops);
	return fits;
}

size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent)
{
	struct merged m = {.ids = merged};

	*consistent = true;
	if (s->end == VM_NOT_RUNNING)
		add_native(&m, s, 0, s->nr_native);
	else if (s->end != VM_WHOLE && s->end != VM_CUT)
		*consistent = false;
	else if (!s->whole)
		merge_cut(s, &m);
	else
		*consistent = merge_whole(s, &m);
	if (!*consistent)
		merge_inconsistent(s, &m);
	return m.nr;
}
