/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_splice.h"
#include "python_find.h"
#include "python_frame.h"

static void find_code(struct splice_code *code, const struct elffile *elf)
{
	code->nr = 0;
	splice_code_add(code, elf, PYTHON_LOOP, SPLICE_LOOP);
}

/* Kinds of beginners. */
enum python_begin {
	BEGIN_CALL, /* a frame that C code has called */
	BEGIN_CUT,  /* an unknown frame, as Python's stack is cut there */
	BEGINS,
};

/*
 * A frame is without a loop while the loop begins or ends, and a loop has no frame then; both only
 * at the leaf.
 */
static const struct splice_cost costs[BEGINS] = {
	[BEGIN_CALL] = {.without = 2},
	[BEGIN_CUT] = {.without = SPLICE_NEVER},
};

static bool is_shim(const struct splice *s, size_t i)
{
	return python_frame_type(s->frames[i].what) == PYTHON_SHIM;
}

/* Returns whether C code has called the frame at I. */
static bool is_begun(const struct splice *s, size_t i)
{
	return !is_shim(s, i) &&
	       (s->frames[i].what & PYTHON_BEGINS || (i + 1 < s->nr_frames && is_shim(s, i + 1)));
}

static size_t find_beginners(const struct splice *s, struct splice_beginner *list)
{
	size_t nr = 0;

	if (s->end == VM_CUT)
		list[nr++] = (struct splice_beginner){.kind = BEGIN_CUT, .frame = s->nr_frames};
	for (size_t i = s->nr_frames; i--;)
		if (is_begun(s, i))
			list[nr++] = (struct splice_beginner){.kind = BEGIN_CALL, .frame = i};
	return nr;
}

static bool is_frame(uint64_t what)
{
	return python_frame_type(what) != PYTHON_SHIM;
}

const struct splice_rules python_splice = {
	.in_place = true,
	.find_code = find_code,
	.is_frame = is_frame,
	.find_beginners = find_beginners,
	.costs = costs,
	.extra = {[SPLICE_INSIDE] = 2, [SPLICE_ELSEWHERE] = 2},
};
