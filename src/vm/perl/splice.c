/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "splice.h"
#include "lib/util.h"
#include "symbol/elf/elfdata.h"

#include <stdlib.h>

/* ---- functions in C ---- */

bool splice_code_find(struct splice_code *code, const struct elffile *elf)
{
	static const struct {
		const char *name;
		enum splice_role role;
	} functions[] = {
		{"Perl_runops_standard", SPLICE_LOOP}, /* without it there is no Perl */
		{"Perl_runops_debug", SPLICE_LOOP},
		{"Perl_call_sv", SPLICE_CALL},
		{"Perl_amagic_call", SPLICE_CALL},
		{"Perl_eval_sv", SPLICE_EVAL},
		{"perl_run", SPLICE_RUN},
	};

	code->nr = 0;
	for (size_t i = 0; i < ARRAY_LEN(functions) && (!i || code->nr); i++) {
		struct elf_variable at;

		if (elfdata_variable(elf, functions[i].name, &at) && at.size)
			code->ranges[code->nr++] = (struct splice_range){
				at.address, at.address + at.size, functions[i].role};
	}
	return code->nr;
}

enum splice_role splice_code_role(const struct splice_code *code, uint64_t address)
{
	for (size_t i = 0; i < code->nr; i++)
		if (address >= code->ranges[i].start && address < code->ranges[i].end)
			return code->ranges[i].role;
	return code->nr ? SPLICE_PERL : SPLICE_ELSEWHERE;
}

/* ---- run loops, and what begins them ---- */

/* Who began a run loop in C: the nearest function with a role since the loop before. */
enum by {
	BY_RUN,
	BY_CALL,
	BY_EVAL,
	BY_PERL,      /* another one of perl's file */
	BY_ELSEWHERE, /* but it was called from another file */
	BYS,
};

/* What in Perl begins a run loop. */
enum begin {
	BEGIN_NOTHING,
	BEGIN_MAIN,
	BEGIN_CUT,   /* not known: Perl's frames are cut there */
	BEGIN_SUB,   /* called from C */
	BEGIN_LAST,  /* called from C, or by the last operator of a block, which returns nowhere */
	BEGIN_AGAIN, /* called again and again in the same context */
	BEGIN_BLOCK, /* of a sort; code in a regex */
	BEGIN_CATCH, /* an eval or try where nobody would catch its exceptions */
	BEGIN_EVAL,  /* an eval from C */
	BEGIN_GUARD, /* the same right before a sub from C: both are one call, nearly always */
	BEGIN_XSUB,  /* a function in C that C called as a sub; when Perl called it, none */
	BEGINS,
};

#define NEVER (1u << 28) /* more than any sum of the costs below */

/* Of one with its loop, by what began that in C, and of one without. */
static const struct {
	unsigned with[BYS], without;
} costs[BEGINS] = {
	/* RUN, CALL, EVAL, PERL, ELSEWHERE */
	[BEGIN_MAIN] = {{0, NEVER, NEVER, 2, 2}, 1},
	[BEGIN_CUT] = {{0, 0, 0, 0, 0}, NEVER},
	[BEGIN_SUB] = {{NEVER, 0, NEVER, 1, 1}, 3},
	[BEGIN_LAST] = {{NEVER, 0, NEVER, 1, 1}, 0},
	[BEGIN_AGAIN] = {{NEVER, NEVER, NEVER, 0, 0}, 1},
	[BEGIN_BLOCK] = {{NEVER, NEVER, NEVER, 0, 1}, 1},
	[BEGIN_CATCH] = {{NEVER, NEVER, NEVER, 0, NEVER}, 1},
	[BEGIN_EVAL] = {{NEVER, 1, 0, 1, 2}, 1},
	[BEGIN_GUARD] = {{NEVER, NEVER, 0, NEVER, NEVER}, 0},
	[BEGIN_XSUB] = {{NEVER, 0, NEVER, NEVER, NEVER}, 0},
};

/* Of a loop that nothing began; but see extra_cost. */
static const unsigned extra_costs[BYS] = {
	[BY_RUN] = NEVER,
	[BY_CALL] = 2,
	[BY_EVAL] = 3,
	[BY_PERL] = 3,
	[BY_ELSEWHERE] = 2,
};

enum { NONE = -1 };

struct beginner {
	enum begin kind;
	size_t frame;  /* in Perl's; for BEGIN_CUT none */
	bool caught;   /* in what it begins evals need no loop of their own */
	bool has_more; /* the next frame is its own: so it has a loop, if that is one of its own */
	int loop;      /* NONE: it has none */
};

struct loop {
	size_t frame; /* in C's */
	enum by by;
	bool extra; /* nothing began it */
};

/* Both outermost first. */
struct work {
	const struct splice *s;
	struct beginner *beginners;
	struct loop *loops;
	size_t nr_beginners, nr_loops;
	unsigned *costs; /* of the first I beginners and J loops */
	int *places;     /* of each frame of Perl's: on which loop */
};

static enum by who_began(enum by named, enum splice_role caller)
{
	return caller == SPLICE_ELSEWHERE ? BY_ELSEWHERE : named;
}

static void find_loops(struct work *w)
{
	const struct splice *s = w->s;
	enum by named = BY_PERL;

	for (size_t i = s->nr_c; i--;) {
		switch (s->c[i].role) {
		case SPLICE_RUN:
			named = BY_RUN;
			break;
		case SPLICE_CALL:
			named = BY_CALL;
			break;
		case SPLICE_EVAL:
			named = BY_EVAL;
			break;
		case SPLICE_LOOP:
			w->loops[w->nr_loops++] = (struct loop){i,
				who_began(named,
					i + 1 < s->nr_c ? s->c[i + 1].role : SPLICE_ELSEWHERE),
				false};
			named = BY_PERL;
			break;
		default:
			break;
		}
	}
}

static enum perl_kind kind_at(const struct splice *s, size_t i)
{
	return perl_frame_kind(&(struct perl_frame){.what = s->perl[i].what});
}

static bool is_from_c(const struct splice *s, size_t i)
{
	return s->perl[i].what & PERL_FROM_C;
}

/* An eval from C at I goes together with the call of a sub. */
static bool is_guard(const struct splice *s, size_t i)
{
	return kind_at(s, i) == PERL_EVAL && is_from_c(s, i) && i && is_from_c(s, i - 1) &&
	       (kind_at(s, i - 1) == PERL_SUB || kind_at(s, i - 1) == PERL_XSUB);
}

/* A sub that seems to be called from C. */
static enum begin begun_by_sub(const struct splice *s, size_t i)
{
	if (s->perl[i].what & PERL_AGAIN)
		return BEGIN_AGAIN;
	bool in_block = i + 1 < s->nr_perl &&
			(s->perl[i + 1].what & PERL_AGAIN ||
				(kind_at(s, i + 1) == PERL_LOOP && is_from_c(s, i + 1)));

	return in_block ? BEGIN_LAST : BEGIN_SUB;
}

/* What the frame at I begins; CAUGHT: an eval there needs no loop of its own. */
static enum begin begun_by(const struct splice *s, size_t i, bool caught)
{
	bool from_c = is_from_c(s, i);

	switch (kind_at(s, i)) {
	case PERL_MAIN:
		return BEGIN_MAIN;
	case PERL_SUB:
		return from_c ? begun_by_sub(s, i) : BEGIN_NOTHING;
	case PERL_XSUB:
		return BEGIN_XSUB;
	case PERL_LOOP:
		if (from_c)
			return BEGIN_BLOCK;
		break;
	case PERL_EVAL:
		if (from_c)
			return is_guard(s, i) ? BEGIN_GUARD : BEGIN_EVAL;
		break;
	}
	return caught ? BEGIN_NOTHING : BEGIN_CATCH;
}

/* CAUGHT for what is above the frame at I, which begins KIND. */
static bool caught_above(const struct splice *s, size_t i, enum begin kind, bool caught)
{
	switch (kind) {
	case BEGIN_SUB:
	case BEGIN_LAST:
	case BEGIN_AGAIN:
		return i + 1 < s->nr_perl && is_guard(s, i + 1);
	case BEGIN_BLOCK:
		return false;
	case BEGIN_NOTHING:
	case BEGIN_XSUB:
		return caught;
	default:
		return true;
	}
}

static void find_beginners(struct work *w)
{
	const struct splice *s = w->s;
	bool caught = true, has_more;

	if (s->end == PERL_CUT)
		w->beginners[w->nr_beginners++] = (struct beginner){BEGIN_CUT, s->nr_perl, true,
			s->nr_perl && !is_from_c(s, s->nr_perl - 1), NONE};
	for (size_t i = s->nr_perl; i--;) {
		enum begin kind = begun_by(s, i, caught);

		caught = caught_above(s, i, kind, caught);
		has_more = i && !is_from_c(s, i - 1) && kind != BEGIN_LAST;
		if (kind != BEGIN_NOTHING)
			w->beginners[w->nr_beginners++] =
				(struct beginner){kind, i, caught, has_more, NONE};
	}
}

/* ---- which belong together ---- */

static unsigned *cost_at(struct work *w, size_t i, size_t j)
{
	return &w->costs[i * (w->nr_loops + 1) + j];
}

static unsigned add_cost(unsigned a, unsigned b)
{
	return a + b < NEVER ? a + b : NEVER;
}

/* The cost when the I-th beginner and the J-th loop, from 1, are partners. */
static unsigned cost_of_match(struct work *w, size_t i, size_t j)
{
	return add_cost(*cost_at(w, i - 1, j - 1),
		costs[w->beginners[i - 1].kind].with[w->loops[j - 1].by]);
}

static unsigned cost_of_skip(struct work *w, size_t i, size_t j)
{
	const struct beginner *b = &w->beginners[i - 1];

	return add_cost(*cost_at(w, i - 1, j), b->has_more ? NEVER : costs[b->kind].without);
}

/* That of an eval that is over, where there may have been one, costs least. */
static unsigned cost_of_extra(struct work *w, size_t i, size_t j)
{
	const struct beginner *b = i ? &w->beginners[i - 1] : NULL;
	enum by by = w->loops[j - 1].by;
	unsigned cost = extra_costs[by];

	if (!b && w->s->end == PERL_CUT)
		cost = 0;
	else if (b && !b->caught && by == BY_PERL)
		cost = 1;
	return add_cost(*cost_at(w, i, j - 1), cost);
}

static unsigned lower(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned least_cost(struct work *w, size_t i, size_t j)
{
	unsigned cost = i || j ? NEVER : 0;

	if (i && j)
		cost = cost_of_match(w, i, j);
	if (i)
		cost = lower(cost, cost_of_skip(w, i, j));
	if (j)
		cost = lower(cost, cost_of_extra(w, i, j));
	return cost;
}

/* Of several ways that cost the same the one that has partners as far out as can be. */
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

/* False: they do not fit. */
static bool align(struct work *w)
{
	size_t rows = w->nr_beginners + 1, columns = w->nr_loops + 1;

	w->costs = xcalloc(rows * columns, sizeof(*w->costs));
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++)
			*cost_at(w, i, j) = least_cost(w, i, j);
	if (*cost_at(w, rows - 1, columns - 1) >= NEVER)
		return false;
	take_partners(w);
	return true;
}

/* ---- where frames stand ---- */

/* The loop of an eval that is over, the last one, on LOOP, which B began; or LOOP itself. */
static int loop_going_on(const struct work *w, const struct beginner *b, int loop)
{
	while (!b->caught && loop + 1 < (int)w->nr_loops && w->loops[loop + 1].extra &&
		w->loops[loop + 1].by == BY_PERL)
		loop++;
	return loop;
}

static int first_partner(const struct work *w)
{
	for (size_t i = 0; i < w->nr_beginners; i++)
		if (w->beginners[i].loop != NONE)
			return w->beginners[i].loop;
	return NONE;
}

/* The loop on which the frame of B stands; CURRENT is the one of the frames below it. */
static int place_of(const struct work *w, const struct beginner *b, int current)
{
	bool is_last = b == &w->beginners[w->nr_beginners - 1];

	if (b->loop != NONE)
		return b->loop;
	if (b->kind == BEGIN_SUB || b->kind == BEGIN_AGAIN)
		return NONE;
	if (b->kind == BEGIN_GUARD && !is_last && b[1].loop != NONE)
		return b[1].loop;
	return current == NONE ? first_partner(w) : current;
}

static void place_frames(struct work *w)
{
	const struct beginner *b = w->beginners, *end = b + w->nr_beginners;
	int current = NONE;

	if (b < end && b->kind == BEGIN_CUT)
		current = (b++)->loop;
	for (size_t i = w->s->nr_perl; i--;) {
		if (b == end || b->frame != i) {
			w->places[i] = current;
			continue;
		}
		w->places[i] = place_of(w, b, current);
		if (b->loop != NONE)
			current = loop_going_on(w, b, b->loop);
		b++;
	}
}

/* ---- the merged stack ---- */

struct merged {
	uint32_t *ids;
	size_t nr;
};

static void add_perl(struct merged *m, const struct splice *s, size_t i)
{
	if (kind_at(s, i) != PERL_LOOP)
		m->ids[m->nr++] = s->perl[i].id;
}

/* The frames FROM up to TO in C. */
static void add_c(struct merged *m, const struct splice *s, size_t from, size_t to)
{
	while (from < to)
		m->ids[m->nr++] = s->c[from++].id;
}

static void merge(const struct work *w, struct merged *m)
{
	const struct splice *s = w->s;
	size_t c = 0, p = 0;

	for (int loop = (int)w->nr_loops; loop--;) {
		add_c(m, s, c, w->loops[loop].frame);
		c = w->loops[loop].frame;
		for (; p < s->nr_perl && (w->places[p] == loop || w->places[p] == NONE); p++)
			if (w->places[p] == loop)
				add_perl(m, s, p);
	}
	add_c(m, s, c, s->nr_c);
}

static void merge_cut(const struct splice *s, struct merged *m)
{
	size_t innermost = 0;

	while (innermost < s->nr_c && s->c[innermost].role != SPLICE_LOOP)
		innermost++;
	add_c(m, s, 0, innermost);
	for (size_t i = 0; i < s->nr_perl; i++)
		add_perl(m, s, i);
}

static void merge_inconsistent(const struct splice *s, struct merged *m)
{
	size_t outermost = s->nr_c;

	for (size_t i = 0; i < s->nr_c; i++)
		if (s->c[i].role == SPLICE_LOOP)
			outermost = i;
	add_c(m, s, 0, outermost);
	m->ids[m->nr++] = s->inconsistent;
	add_c(m, s, outermost, s->nr_c);
}

static bool merge_whole(const struct splice *s, struct merged *m)
{
	struct work w = {
		.s = s,
		.beginners = xcalloc(s->nr_perl + 1, sizeof(*w.beginners)),
		.loops = xcalloc(s->nr_c + 1, sizeof(*w.loops)),
		.places = xcalloc(s->nr_perl + 1, sizeof(*w.places)),
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
	free(w.places);
	return fits;
}

size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent)
{
	struct merged m = {.ids = merged};

	*consistent = true;
	if (s->end == PERL_NOT_RUNNING)
		add_c(&m, s, 0, s->nr_c);
	else if (s->end != PERL_WHOLE && s->end != PERL_CUT)
		*consistent = false;
	else if (!s->whole)
		merge_cut(s, &m);
	else
		*consistent = merge_whole(s, &m);
	if (!*consistent)
		merge_inconsistent(s, &m);
	return m.nr;
}
