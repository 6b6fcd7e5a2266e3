/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_splice.h"
#include "lua_frame.h"

/* All frames up to one from C are those of one frame of the interpreter. */
enum { BEGIN_SEGMENT };

static const struct splice_cost costs[] = {
	[BEGIN_SEGMENT] = {.with = {[SPLICE_ELSEWHERE] = 0}, .without = 2},
};

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
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

static bool is_frame(uint64_t what)
{
	return lua_frame_type(what) != LUA_SEGMENT;
}

const struct splice_rules lua_splice = {
	.in_place = true,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[SPLICE_ELSEWHERE] = 2, [SPLICE_INSIDE] = 2},
};
