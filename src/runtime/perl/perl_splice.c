/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perl_splice.h"
#include "lib/util.h"
#include "perl.h"
#include "perl_frame.h"
#include "symbol/elf/elffacts.h"

static void find_code(struct splice_code *code, const struct elffile *elf)
{
	static const struct {
		const char *name;
		unsigned role;
	} others[] = {
		{"Perl_runops_debug", SPLICE_LOOP},
		{"Perl_call_sv", PERL_ROLE_CALL},
		{"Perl_amagic_call", PERL_ROLE_CALL},
		{"Perl_eval_sv", PERL_ROLE_EVAL},
		{"perl_run", PERL_ROLE_RUN},
	};

	struct elf_question list[ARRAY_LEN(others)];

	code->nr = 0;
	if (!splice_code_add(code, elf, PERL_SYMBOL, SPLICE_LOOP))
		return;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		list[i] = (struct elf_question){elf, FACT_VARIABLE, others[i].name, 0, NULL};
	elffacts_ask(list, ARRAY_LEN(others));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		splice_code_add(code, elf, others[i].name, others[i].role);
}

/* Kinds of beginners. */
enum begin {
	BEGIN_NOTHING,
	BEGIN_MAIN,
	BEGIN_CUT,   /* an unknown beginner, as Perl's frames are cut there */
	BEGIN_SUB,   /* a sub that was called from C */
	BEGIN_LAST,  /* a sub without return address: called from C, or last in a block */
	BEGIN_AGAIN, /* a sub that is called repeatedly in the same context */
	BEGIN_BLOCK, /* the block of a sort, or code in a regex */
	BEGIN_CATCH, /* an eval or try whose exceptions would not be caught otherwise */
	BEGIN_EVAL,  /* an eval from C */
	BEGIN_GUARD, /* an eval from C right before a sub from C: nearly always a single call */
	BEGIN_XSUB,  /* a function in C called as a sub; it begins a loop only if C called it */
	BEGINS,
};

#define NEVER SPLICE_NEVER
#define COSTS(run, call, eval, inside, elsewhere, none)                                            \
	{                                                                                          \
		.with = {[PERL_ROLE_RUN] = (run),                                                  \
			[PERL_ROLE_CALL] = (call),                                                 \
			[PERL_ROLE_EVAL] = (eval),                                                 \
			[SPLICE_INSIDE] = (inside),                                                \
			[SPLICE_ELSEWHERE] = (elsewhere)},                                         \
		.without = (none)                                                                  \
	}

static const struct splice_cost costs[BEGINS] = {
	[BEGIN_MAIN] = COSTS(0, NEVER, NEVER, 2, 2, 1),
	[BEGIN_CUT] = COSTS(0, 0, 0, 0, 0, NEVER),
	[BEGIN_SUB] = COSTS(NEVER, 0, NEVER, 1, 1, 3),
	[BEGIN_LAST] = COSTS(NEVER, 0, NEVER, 1, 1, 0),
	[BEGIN_AGAIN] = COSTS(NEVER, NEVER, NEVER, 0, 0, 1),
	[BEGIN_BLOCK] = COSTS(NEVER, NEVER, NEVER, 0, 1, 1),
	[BEGIN_CATCH] = COSTS(NEVER, NEVER, NEVER, 0, NEVER, 1),
	[BEGIN_EVAL] = COSTS(NEVER, 1, 0, 1, 2, 1),
	[BEGIN_GUARD] = COSTS(NEVER, NEVER, 0, NEVER, NEVER, 0),
	[BEGIN_XSUB] = COSTS(NEVER, 0, NEVER, NEVER, NEVER, 0),
};

static enum perl_type type_at(const struct splice *s, size_t i)
{
	return perl_frame_type(s->frames[i].what);
}

static bool is_from_c(const struct splice *s, size_t i)
{
	return s->frames[i].what & PERL_FROM_C;
}

/* Returns whether the frame at I is an eval from C that belongs to the call of a sub. */
static bool is_guard(const struct splice *s, size_t i)
{
	return type_at(s, i) == PERL_EVAL && is_from_c(s, i) && i && is_from_c(s, i - 1) &&
	       (type_at(s, i - 1) == PERL_SUB || type_at(s, i - 1) == PERL_XSUB);
}

/* Returns the kind of beginner of a sub that seems to be called from C. */
static enum begin begun_by_sub(const struct splice *s, size_t i)
{
	if (s->frames[i].what & PERL_AGAIN)
		return BEGIN_AGAIN;
	bool in_block = i + 1 < s->nr_frames &&
			(s->frames[i + 1].what & PERL_AGAIN ||
				(type_at(s, i + 1) == PERL_LOOP && is_from_c(s, i + 1)));

	return in_block ? BEGIN_LAST : BEGIN_SUB;
}

/*
 * Returns the kind of beginner at I. If CAUGHT, exceptions there are caught, so an eval needs no
 * loop of its own.
 */
static enum begin begun_by(const struct splice *s, size_t i, bool caught)
{
	bool from_c = is_from_c(s, i);

	switch (type_at(s, i)) {
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

/* Returns CAUGHT for the inner frames of the frame at I, which is a beginner of KIND. */
static bool caught_above(const struct splice *s, size_t i, enum begin kind, bool caught)
{
	switch (kind) {
	case BEGIN_SUB:
	case BEGIN_LAST:
	case BEGIN_AGAIN:
		return i + 1 < s->nr_frames && is_guard(s, i + 1);
	case BEGIN_BLOCK:
		return false;
	case BEGIN_NOTHING:
	case BEGIN_XSUB:
		return caught;
	default:
		return true;
	}
}

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
{
	bool caught = true;
	size_t nr = 0;

	if (s->end == VM_CUT)
		list[nr++] = (struct splice_beginner){.kind = BEGIN_CUT,
			.frame = s->nr_frames,
			.has_more = s->nr_frames && !is_from_c(s, s->nr_frames - 1)};
	for (size_t i = s->nr_frames; i--;) {
		enum begin kind = begun_by(s, i, caught);

		caught = caught_above(s, i, kind, caught);
		if (kind == BEGIN_NOTHING)
			continue;
		list[nr++] = (struct splice_beginner){
			.kind = kind,
			.frame = i,
			.has_more = i && !is_from_c(s, i - 1) && kind != BEGIN_LAST,
			.goes_on = !caught,
			.needs_loop = kind == BEGIN_SUB || kind == BEGIN_AGAIN,
			.with_next = kind == BEGIN_GUARD,
		};
	}
	return nr;
}

static bool is_frame(uint64_t what)
{
	return perl_frame_type(what) != PERL_LOOP;
}

const struct splice_rules perl_splice = {
	.find_code = find_code,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[PERL_ROLE_RUN] = NEVER,
		[PERL_ROLE_CALL] = 2,
		[PERL_ROLE_EVAL] = 3,
		[SPLICE_INSIDE] = 3,
		[SPLICE_ELSEWHERE] = 2},
};
