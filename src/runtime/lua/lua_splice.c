/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_splice.h"
#include "lib/util.h"
#include "lua_frame.h"
#include "symbol/elf/elffacts.h"

static void find_code(struct splice_code *code, const struct elffile *elf)
{
	const struct elf_question list[] = {{elf, FACT_VARIABLE, "luaJIT_setmode", 0, NULL},
		{elf, FACT_LARGE_CALLEE, "lua_callk", 0, NULL},
		{elf, FACT_LARGE_CALLEE, "lua_call", 0, NULL},
		{elf, FACT_VARIABLE, "lua_resume", 0, NULL}};
	struct elf_variable at;

	code->nr = 0;
	elffacts_ask(list, ARRAY_LEN(list));
	if (elffacts_variable(elf, "luaJIT_setmode", &at) ||
		(!elffacts_large_callee(elf, "lua_callk", &at) &&
			!elffacts_large_callee(elf, "lua_call", &at))) /* 5.1 */
		return;
	code->ranges[code->nr++] =
		(struct splice_range){at.address, at.address + at.size, SPLICE_LOOP};
	splice_code_add(code, elf, "lua_resume", LUA_ROLE_RESUME);
}

/* Kinds of beginners. */
enum lua_begin {
	BEGIN_SEGMENT, /* LuaJIT */
	BEGIN_THREAD,  /* PUC Lua: a thread's first run */
	BEGIN_RUN,     /* PUC Lua: a later run of a thread */
	BEGIN_MISFIT,  /* there are more runs than loops, or fewer */
};

static const struct splice_cost costs[] = {
	[BEGIN_SEGMENT] = {.with = {0}, .without = 2},
	[BEGIN_THREAD] = {.with = {[SPLICE_ELSEWHERE] = SPLICE_NEVER}, .without = SPLICE_NEVER},
	[BEGIN_RUN] =
		{.with = {[SPLICE_ELSEWHERE] = SPLICE_NEVER, [LUA_ROLE_RESUME] = SPLICE_NEVER},
			.without = SPLICE_NEVER},
	[BEGIN_MISFIT] = {.with = {[SPLICE_ELSEWHERE] = SPLICE_NEVER,
				  [SPLICE_INSIDE] = SPLICE_NEVER,
				  [LUA_ROLE_RESUME] = SPLICE_NEVER},
		.without = SPLICE_NEVER},
};

static size_t find_segments(const struct splice *s, struct splice_beginner *list)
{
	size_t nr = 0;

	for (size_t i = s->nr_frames; i--;)
		if (i + 1 == s->nr_frames || s->frames[i].what & LUA_FROM_C)
			list[nr++] = (struct splice_beginner){
				.kind = BEGIN_SEGMENT,
				.frame = i,
				.has_more = i && !(s->frames[i - 1].what & LUA_FROM_C),
			};
	return nr;
}

/* ---- PUC Lua ---- */

static bool is_puc(const struct splice *s)
{
	for (size_t i = 0; i < s->nr_native; i++)
		if (s->native[i].role == SPLICE_INSIDE || s->native[i].role == LUA_ROLE_RESUME)
			return true;
	for (size_t i = 0; i < s->nr_frames; i++)
		if (s->frames[i].what & LUA_RUN)
			return true;
	return false;
}

/* Successive run loops in the native stack without a lua_resume between them. */
struct loops {
	size_t nr;
	bool resumed; /* lua_resume called the first loop, rather than another function in C */
};

/*
 * The largest number of functions between lua_resume and the interpreter: luaD_rawrunprotected,
 * resume and unroll. There are more if lua_resume continues a function in C that calls one in Lua.
 */
enum { RESUME_FRAMES = 3 };

/* Returns the loops from native[*AT - 1] towards the leaf up to the next lua_resume; moves *AT. */
static struct loops next_loops(const struct splice *s, size_t *at)
{
	size_t frames = RESUME_FRAMES + 1; /* since lua_resume */
	struct loops loops = {0, false};

	while (*at) {
		unsigned role = s->native[*at - 1].role;

		if (role == LUA_ROLE_RESUME && loops.nr)
			break;
		--*at;
		if (role == LUA_ROLE_RESUME)
			frames = 0;
		else if (role == SPLICE_LOOP && !loops.nr++)
			loops.resumed = frames <= RESUME_FRAMES;
		else
			frames += role == SPLICE_INSIDE ? 1 : RESUME_FRAMES + 1;
	}
	return loops;
}

static bool is_between_threads(const struct splice_frame *f)
{
	return lua_frame_type(f->what) == LUA_SEGMENT && !(f->what & LUA_RUN);
}

/*
 * Adds the runs of the next thread, from frames[*AT - 1] towards the leaf; returns their number and
 * moves *AT.
 */
static size_t next_runs(const struct splice *s, size_t *at, struct splice_beginner *list)
{
	size_t nr = 0;

	while (*at && !is_between_threads(&s->frames[--*at])) {
		if (!(s->frames[*at].what & LUA_RUN) &&
			(s->end != VM_CUT || *at + 1 < s->nr_frames))
			continue;
		list[nr] = (struct splice_beginner){
			.kind = nr ? BEGIN_RUN : BEGIN_THREAD, .frame = *at};
		nr++;
	}
	return nr;
}

/*
 * Lists the runs thread by thread, outermost first. A thread that yields loses its run loops; when
 * it is resumed, all runs that it then had share the loop that lua_resume begins, and only the
 * first of these runs is listed.
 */
static size_t find_runs(const struct splice *s, struct splice_beginner *list)
{
	size_t frame = s->nr_frames, native = s->nr_native, nr = 0;
	struct loops loops = {0, false};

	while (frame) {
		struct splice_beginner *first = list + nr;
		size_t runs = next_runs(s, &frame, first);

		if (!runs)
			continue;
		if (!loops.nr)
			loops = next_loops(s, &native);
		if (loops.resumed && loops.nr && loops.nr < runs) {
			size_t without = runs - loops.nr;

			runs = loops.nr;
			for (size_t i = 1; i < runs; i++)
				first[i] = first[i + without];
		}
		nr += runs;
		loops.nr -= loops.nr < runs ? loops.nr : runs;
		loops.resumed = false;
	}
	return nr;
}

/* Returns whether there are NR loops, or at least NR loops if Lua's stack is cut. */
static bool fits(const struct splice *s, size_t nr)
{
	size_t loops = 0;

	for (size_t i = 0; i < s->nr_native; i++)
		loops += s->native[i].role == SPLICE_LOOP;
	return s->end == VM_CUT ? nr <= loops : nr == loops;
}

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
{
	size_t nr;

	if (!is_puc(s))
		return find_segments(s, list);
	nr = find_runs(s, list);
	if (fits(s, nr))
		return nr;
	*list = (struct splice_beginner){.kind = BEGIN_MISFIT, .frame = s->nr_frames};
	return 1;
}

/* Functions in C without a name in Lua have no type here: the native stack shows them. */
static bool is_frame(uint64_t what)
{
	return lua_frame_type(what) && lua_frame_type(what) != LUA_SEGMENT;
}

const struct splice_rules lua_splice = {
	.in_place = true,
	.find_code = find_code,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[SPLICE_ELSEWHERE] = 2, [SPLICE_INSIDE] = 2},
};
