/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of CPython's stacks, the state of a walk, and the texts of frames. */
#ifndef RUNTIME_PYTHON_PYTHON_FRAME_H
#define RUNTIME_PYTHON_PYTHON_FRAME_H

#include "runtime/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The types of frames, and the members of struct vm_frame for Python:
 *
 * what	the type, and the address of the code object
 * with	0
 * at	the last instruction: its offset in bytes + 2 in the lower PYTHON_OFFSET bits, as it is -1
 *or -2 before the first one; and above them a hash of what the code object has, because the memory
 *of code that has ended, such as a module's, is soon used for other code
 */
enum python_type {
	PYTHON_FUNCTION = 1,
	PYTHON_SHIM, /* below the frames that C code runs: a mark, not a frame; in mixed walks only
		      */
};

/* The frame begins a run loop, in versions without shims. */
#define PYTHON_BEGINS (1ULL << 63)

#define PYTHON_OFFSET 24

static inline enum python_type python_frame_type(uint64_t what)
{
	return (enum python_type)VM_FRAME_TYPE(what);
}

/* What a thread that runs Python does, with the value of its label. */
#define PYTHON_STATES(STATE) STATE(HOLDS, "gil") STATE(COLLECTS, "gc") STATE(FREE, "no-gil")

#define PYTHON_STATE(name, text) PYTHON_STATE_##name,
enum python_state { PYTHON_STATE_UNKNOWN, PYTHON_STATES(PYTHON_STATE) PYTHON_NR_STATES };
#undef PYTHON_STATE

enum {
	PYTHON_THREAD_CACHE_SIZE = 256, /* entries per CPU; a power of two up to 4096 */
	PYTHON_SEARCH_STEPS = 4096,     /* thread states and interpreters that are looked at */
	PYTHON_LINE_STEPS = 1 << 14,    /* bytes of a table of lines that are read */
	PYTHON_MISSES_MAX = 64,         /* how often a thread has no frame before the next search */
};

/* The state of a thread in a process, as found before. */
struct python_cached_thread {
	uint64_t thread; /* its thread pointer */
	uint64_t state;  /* address of its PyThreadState, or 0 if it has none */
	uint64_t newest; /* the process's newest thread state at the time of the search */
	uint32_t owner;  /* tgid */
	uint32_t misses; /* how often it had no frame since the search */
};

/* Decodes a table of lines, one byte at a time. */
struct python_line {
	uint64_t at, end;       /* the next byte, and the end of the table */
	uint32_t address, size; /* the range of instructions that the entry describes */
	uint32_t wanted;        /* the instruction's offset */
	int32_t line;           /* of the range, if it has one */
	int32_t delta;          /* of the entry that is being read */
	uint32_t bits;          /* of its delta that were read */
	uint8_t state;          /* enum python_line_state */
	bool has_line;          /* the range has a line */
};

struct python_walk {
	struct vm_walk vm;
	uint64_t frame[16]; /* the frame that was read last */
	uint64_t code[20];  /* its code object */
	uint64_t at;        /* address of the next frame */
	uint64_t thread;    /* the thread pointer whose state is searched for */
	uint64_t state;     /* the thread state, also during the search */
	uint64_t next;      /* the interpreter whose threads come next */
	uint64_t idle;      /* a state of the thread that has no frame, or 0 */
	uint32_t nr_steps;
	struct python_line line;
};

enum { PYTHON_NAME_MAX = 256, PYTHON_FILE_MAX = 512 };

/* A str as stored in the target. */
struct python_text {
	uint16_t size; /* bytes that were read */
	uint8_t kind;  /* bytes per character */
	bool cut;      /* the text is longer */
};

struct python_texts {
	uint32_t line, first_line; /* 0 if they are not known */
	bool named, placed;        /* name, or file, could be read */
	struct python_text name_head, file_head;
	char name[PYTHON_NAME_MAX], file[PYTHON_FILE_MAX];
};

#endif
