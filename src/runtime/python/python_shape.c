/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_shape.h"
#include "lib/util.h"

#include <stddef.h>

enum { FIRST_MINOR = 6, FRAME_MAX = 128, CODE_MAX = 160 };

/* What all versions of the table have in common: PyObject, PyBytesObject, PyASCIIObject. */
#define OBJECTS                                                                                    \
	.interpreter_next = 0, .thread_next = 8, .object_type = 8, .string_length = 16,            \
	.string_state = 32, .bytes_size = 16, .bytes_data = 32
#define STRINGS_TO_311 .ascii_size = 48, .compact_size = 72

/* Up to 3.10: a PyFrameObject for each call. */
#define FRAME_OBJECTS                                                                              \
	.interpreter_threads = 8, .thread_frame = 24, .cframe_frame = PYTHON_NONE,                 \
	.frame_previous = 24, .frame_code = 32, .frame_entry = PYTHON_NONE,                        \
	.code_instructions = PYTHON_NONE
#define CODE_TO_37                                                                                 \
	.code_size = 120, .code_first_line = 36, .code_file = 96, .code_name = 104,                \
	.code_lines = 112
#define CODE_TO_310                                                                                \
	.code_size = 128, .code_first_line = 40, .code_file = 104, .code_name = 112,               \
	.code_lines = 120

/* From 3.11 on: an _PyInterpreterFrame for each call; names are qualified. */
#define CODE_FROM_311 .code_size = 144, .code_file = 112, .code_name = 128, .code_lines = 136

static const struct {
	struct python_shape shape;
	struct python_sizes sizes;
} known[] = {
	{{OBJECTS, STRINGS_TO_311, FRAME_OBJECTS, CODE_TO_37, .thread_id = 152, .frame_size = 128,
		 .frame_instruction = 120, .unit = 1},
		{144, 384}},
	{{OBJECTS, STRINGS_TO_311, FRAME_OBJECTS, CODE_TO_37, .thread_id = 176, .frame_size = 112,
		 .frame_instruction = 104, .unit = 1},
		{144, 368}},
	{{OBJECTS, STRINGS_TO_311, FRAME_OBJECTS, CODE_TO_310, .thread_id = 176, .frame_size = 112,
		 .frame_instruction = 104, .unit = 1},
		{176, 368}},
	{{OBJECTS, STRINGS_TO_311, FRAME_OBJECTS, CODE_TO_310, .thread_id = 176, .frame_size = 112,
		 .frame_instruction = 104, .unit = 1},
		{176, 368}},
	{{OBJECTS, STRINGS_TO_311, FRAME_OBJECTS, CODE_TO_310, .thread_id = 176, .frame_size = 104,
		 .frame_instruction = 96, .lines = PYTHON_RANGES, .unit = 2},
		{176, 360}},
	{{OBJECTS, STRINGS_TO_311, CODE_FROM_311, .interpreter_threads = 16, .thread_frame = 56,
		 .cframe_frame = 8, .thread_id = 152, .frame_size = 72, .frame_previous = 48,
		 .frame_code = 32, .frame_instruction = 56, .frame_entry = 68,
		 .code_first_line = 72, .code_instructions = 184, .lines = PYTHON_LOCATIONS},
		{184, 0}},
	{{OBJECTS, .ascii_size = 40, .compact_size = 56, CODE_FROM_311, .interpreter_threads = 72,
		 .thread_frame = 56, .cframe_frame = 0, .thread_id = 136, .thread_status = 24,
		 .frame_size = 72, .frame_previous = 8, .frame_code = 0, .frame_instruction = 56,
		 .frame_entry = 70, .code_first_line = 68, .code_instructions = 192,
		 .lines = PYTHON_LOCATIONS, .shims = true},
		{192, 0}},
};

const struct python_shape *python_shape_known(unsigned minor)
{
	return minor >= FIRST_MINOR && minor - FIRST_MINOR < ARRAY_LEN(known)
		       ? &known[minor - FIRST_MINOR].shape
		       : NULL;
}

struct python_sizes python_sizes_known(unsigned minor)
{
	return known[minor - FIRST_MINOR].sizes;
}

/*
 * Where the groups of _Py_DebugOffsets begin, in words, by version, and where the one member is
 * whose place in its group differs. Each group begins with a size.
 */
struct groups {
	unsigned minor;
	bool copies; /* the groups of frames and code end with the copies of instructions */
	uint8_t interpreter, thread, thread_id, frame, code, object, bytes, string;
	/* words with offsets: of the collector in an interpreter, and of `collecting` in it */
	uint8_t collector, collecting;
};

static const struct groups groups[] = {
	{13, false, 6, 19, 24, 28, 34, 44, 64, 67, 10, 72},
	{14, true, 6, 22, 27, 31, 39, 50, 74, 77, 11, 82},
	{15, true, 6, 22, 30, 39, 47, 58, 86, 89, 11, 95},
};

enum { FREE_THREADED = 2 }; /* word: whether the build has no GIL */

static uint16_t rounded(uint64_t size)
{
	return (uint16_t)((size + 7) / 8 * 8);
}

static void take_published(
	const uint64_t *w, const struct groups *g, struct python_shape *s, uint64_t *interpreters)
{
	*interpreters = w[5];
	*s = (struct python_shape){
		.interpreter_next = (uint16_t)w[g->interpreter + 2],
		.interpreter_threads = (uint16_t)w[g->interpreter + 3],
		.interpreter_collects = (uint16_t)(w[g->collector] + w[g->collecting]),
		.thread_next = (uint16_t)w[g->thread + 2],
		.thread_id = (uint16_t)w[g->thread_id],
		.thread_interpreter = (uint16_t)w[g->thread + 3],
		.thread_status = w[FREE_THREADED] ? 0 : (uint16_t)w[g->thread_id + 3],
		.thread_frame = (uint16_t)w[g->thread + 4],
		.cframe_frame = PYTHON_NONE,
		.frame_size = rounded(w[g->frame + 5] + 1),
		.frame_previous = (uint16_t)w[g->frame + 1],
		.frame_code = (uint16_t)w[g->frame + 2],
		.frame_instruction = (uint16_t)w[g->frame + 3],
		.frame_entry = (uint16_t)w[g->frame + 5],
		.frame_copy = g->copies ? (uint16_t)w[g->frame + 7] : 0,
		.code_size = rounded(w[g->code + 4] + 8),
		.code_file = (uint16_t)w[g->code + 1],
		.code_name = (uint16_t)w[g->code + 3],
		.code_lines = (uint16_t)w[g->code + 4],
		.code_first_line = (uint16_t)w[g->code + 5],
		.code_instructions = (uint16_t)w[g->code + 9],
		.code_copies = g->copies ? (uint16_t)w[g->code + 10] : 0,
		.object_type = (uint16_t)w[g->object + 1],
		.bytes_size = (uint16_t)w[g->bytes + 1],
		.bytes_data = (uint16_t)w[g->bytes + 2],
		.string_state = (uint16_t)w[g->string + 1],
		.string_length = (uint16_t)w[g->string + 2],
		.ascii_size = (uint16_t)w[g->string + 3],
		.compact_size = (uint16_t)(w[g->string + 3] + 16),
		.lines = PYTHON_LOCATIONS,
		.shims = true,
	};
}

/* Returns whether a member of BYTES bytes at OFFSET fits into what is read of its structure. */
static bool fits(uint16_t offset, unsigned bytes, uint16_t size)
{
	return offset % bytes == 0 && offset + bytes <= size;
}

static bool is_sane(const struct python_shape *s, const uint64_t *w, const struct groups *g)
{
	/* sizes as the groups tell them; all of them are the first words */
	return w[g->object] >= 16 && w[g->object] <= 64 && s->object_type < w[g->object] &&
	       s->thread_frame + 8u <= w[g->thread] && s->thread_id + 8u <= w[g->thread] &&
	       s->thread_next + 8u <= w[g->thread] && s->thread_status % 4 == 0 &&
	       s->thread_interpreter + 8u <= w[g->thread] &&
	       s->thread_status + 4u <= w[g->thread] &&
	       s->interpreter_collects + 4u <= w[g->interpreter] &&
	       s->interpreter_threads + 8u <= w[g->interpreter] && s->frame_size <= FRAME_MAX &&
	       s->code_size <= CODE_MAX && s->code_instructions < w[g->code] &&
	       s->code_size <= s->code_instructions && fits(s->frame_previous, 8, s->frame_size) &&
	       fits(s->frame_code, 8, s->frame_size) &&
	       fits(s->frame_instruction, 8, s->frame_size) &&
	       fits(s->frame_copy, 4, s->frame_size) && s->code_copies < s->code_instructions &&
	       fits(s->code_file, 8, s->code_size) && fits(s->code_name, 8, s->code_size) &&
	       fits(s->code_first_line, 4, s->code_size) && s->bytes_data < w[g->bytes] &&
	       s->ascii_size >= s->string_state + 4u && s->ascii_size < w[g->string];
}

bool python_shape_published(
	const uint64_t *words, unsigned minor, struct python_shape *shape, uint64_t *interpreters)
{
	for (size_t i = 0; i < ARRAY_LEN(groups); i++)
		if (groups[i].minor == minor) {
			take_published(words, &groups[i], shape, interpreters);
			return is_sane(shape, words, &groups[i]);
		}
	return false;
}
