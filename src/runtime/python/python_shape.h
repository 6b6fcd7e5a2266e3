/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offsets in CPython's structures, in bytes. From 3.13 on CPython publishes them in _PyRuntime; for
 * earlier versions they are in a table, which is checked against the sizes in CPython's types.
 */
#ifndef RUNTIME_PYTHON_PYTHON_SHAPE_H
#define RUNTIME_PYTHON_PYTHON_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { PYTHON_NONE = UINT16_MAX }; /* the offset of a member that this version lacks */

/* How a code object tells the lines of its instructions. */
enum python_lines {
	PYTHON_LNOTAB,    /* 3.6 to 3.9: co_lnotab */
	PYTHON_RANGES,    /* 3.10: co_linetable */
	PYTHON_LOCATIONS, /* from 3.11 on: co_linetable with columns */
};

struct python_shape {
	uint16_t interpreter_next, interpreter_threads;
	uint16_t interpreter_collects; /* int: garbage is collected; or 0 if not known */
	uint16_t thread_next, thread_id;
	uint16_t thread_interpreter;
	uint16_t thread_status; /* 32 bits with PYTHON_ACTIVE, or 0 if not known or without a GIL */
	uint16_t thread_frame;  /* the current frame, or the _PyCFrame that has it */
	uint16_t cframe_frame;  /* or PYTHON_NONE without a _PyCFrame */
	uint16_t frame_size;    /* bytes of a frame that are read, a multiple of 8 */
	uint16_t frame_previous, frame_code;
	uint16_t frame_instruction; /* the last instruction: a number up to 3.10, then a pointer */
	uint16_t frame_entry;       /* since 3.11: bool is_entry in 3.11, then char owner */
	uint16_t frame_copy;        /* int: which copy of the instructions it runs */
	uint16_t code_size;         /* bytes of a code object that are read, a multiple of 8 */
	uint16_t object_type;
	uint16_t code_first_line, code_file, code_name, code_lines;
	uint16_t code_instructions; /* co_code_adaptive, or PYTHON_NONE before 3.11 */
	/* In free-threaded builds from 3.14 on: copies of the instructions for threads; else 0. */
	uint16_t code_copies;
	uint16_t string_length, string_state, ascii_size, compact_size;
	uint16_t bytes_size, bytes_data;
	uint8_t lines; /* enum python_lines */
	uint8_t unit;  /* bytes per number of an instruction, before 3.11 */
	bool shims; /* since 3.12: C code puts a frame of its own below the frames that it runs */
};

/* Returns the shape of 3.MINOR, which is from 3.6 to 3.12, or NULL if it is not in the table. */
const struct python_shape *python_shape_known(unsigned minor);

/*
 * Returns the sizes of code and frame objects in 3.MINOR according to their types, which tell
 * whether this build has the shape in the table.
 */
struct python_sizes {
	uint64_t code, frame;
};
struct python_sizes python_sizes_known(unsigned minor);

enum { PYTHON_PUBLISHED_MAX = 96 }; /* words of _Py_DebugOffsets that are read */

/*
 * Takes the shape from the WORDS of _Py_DebugOffsets, in 3.MINOR, and the offset of the first
 * interpreter in _PyRuntime. Returns false if they have no known meaning or cannot be right.
 */
bool python_shape_published(
	const uint64_t *words, unsigned minor, struct python_shape *shape, uint64_t *interpreters);

#endif
