/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "php_splice.h"
#include "php_find.h"
#include "php_frame.h"

static void find_code(struct splice_code *code, const struct elffile *elf)
{
	code->nr = 0;
	splice_code_add(code, elf, PHP_SYMBOL, SPLICE_LOOP);
}

/* Kinds of beginners. */
enum php_begin {
	BEGIN_RUN, /* a call with PHP_TOP */
	BEGIN_CUT, /* the outermost call, if PHP's frames are cut there */
};

/* A run may be about to begin, or may have just ended. */
static const struct splice_cost costs[] = {
	[BEGIN_RUN] = {.with = {0}, .without = 2},
	[BEGIN_CUT] = {.with = {0}, .without = SPLICE_NEVER},
};

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
{
	size_t nr = 0;

	if (s->end == VM_CUT)
		list[nr++] = (struct splice_beginner){.kind = BEGIN_CUT, .frame = s->nr_frames};
	for (size_t i = s->nr_frames; i--;)
		if (s->frames[i].what & PHP_TOP)
			list[nr++] = (struct splice_beginner){.kind = BEGIN_RUN, .frame = i};
	return nr;
}

static bool is_frame(uint64_t what)
{
	return php_frame_type(what);
}

const struct splice_rules php_splice = {
	.in_place = true,
	.find_code = find_code,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[SPLICE_ELSEWHERE] = 2, [SPLICE_INSIDE] = 2},
};
