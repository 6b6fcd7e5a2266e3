/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Ruby's stacks, the state of a walk, and the texts of frames. */
#ifndef RUNTIME_RUBY_RUBY_FRAME_H
#define RUNTIME_RUBY_RUBY_FRAME_H

#include "runtime/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The types of frames, and the members of struct vm_frame for Ruby:
 *
 * what	the type, and the address of the instruction sequence, or of the method entry of a
 *	function in C
 * with	the method entry, or 0 if the frame is in no method; for a function in C 0
 * at	the program counter, or 0 if it is not known or the frame is a function in C
 */
enum ruby_type {
	RUBY_CODE = 1, /* a method, a block, a class's body, a file, eval */
	RUBY_CFUNC,    /* a method in C */
	RUBY_GC,       /* "(garbage collection)", always the innermost one */
};

/* C has begun a run loop for the frame: VM_FRAME_FLAG_FINISH. */
#define RUBY_FROM_C (1ULL << 63)

enum {
	RUBY_CACHE_SIZE = 1024, /* entries per CPU; a power of two up to 4096 */
	RUBY_ENVS_MAX = 8,      /* blocks in blocks whose method is looked for */
	RUBY_WORDS = 5,         /* of a control frame that are read */
};

/* The method of a frame, cached. It is valid while the code is at that place. */
struct ruby_cached {
	uint64_t iseq, pc, env; /* env: the first word of the frame's environment */
	uint32_t owner;         /* tgid, or 0 if the entry is empty */
	uint32_t pad;
	uint64_t method, at;
};

struct ruby_walk {
	struct vm_walk vm;
	uint64_t cfp, end;          /* the next control frame, and the end of all */
	bool is_innermost;          /* the next control frame is the first one */
	struct vm_frame clause;     /* see ruby_found_code(); its `what` is 0 if there is none */
	uint64_t frame[RUBY_WORDS]; /* the control frame that was read last: pc, sp, iseq, self, ep
				     */
	uint64_t env[3];            /* ep[-2], ep[-1] and ep[0] of an environment */
	uint64_t words[4];          /* of the object that was read last */
};

enum { RUBY_TEXT_MAX = 256 };

/* A text as stored in the target. */
struct ruby_text {
	uint16_t len; /* bytes */
	bool cut;     /* the text is longer */
	char bytes[RUBY_TEXT_MAX];
};

/* The name and the location of a frame. */
struct ruby_texts {
	uint32_t line;           /* or 0 if it is not known */
	uint32_t base;           /* bytes at the end of `label` that its own method's name takes */
	bool named, placed;      /* the name, and the file, could be read */
	bool qualified;          /* the name belongs to `class` */
	bool singleton;          /* it is a method of the object `class` itself */
	struct ruby_text label;  /* of code: "block in name" */
	struct ruby_text method; /* the name of the method, or "<main>", "<class:Name>" … */
	struct ruby_text class, file;
};

static inline enum ruby_type ruby_frame_type(uint64_t what)
{
	return (enum ruby_type)VM_FRAME_TYPE(what);
}

#endif
