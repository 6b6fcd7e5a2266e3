/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Perl's stacks, the state of a walk, and the texts of frames. */
#ifndef RUNTIME_PERL_PERL_FRAME_H
#define RUNTIME_PERL_PERL_FRAME_H

#include "runtime/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The types of frames, and the members of struct vm_frame for Perl:
 *
 * what	the type, and the address of the sub's name, which is a GV or a HEK, or 0 if it has none
 * with	the sub's first operator for a GV, the stash for a HEK, else 0
 * at	the statement in the lower PERL_COP bits, and above them a hash of its location
 */
enum perl_type {
	PERL_SUB = 1, /* a sub, or a format */
	PERL_EVAL,    /* eval, of a string or block, and require: "(eval)" */
	PERL_MAIN,    /* the outermost frame */
	PERL_XSUB,    /* the innermost frame, of a function in C that was called as a sub */
	PERL_LOOP,    /* a mark for a possible run loop, not a frame, in mixed walks only */
};

/*
 * The sub was called from C: by the interpreter itself in a new run loop (sort, tie, overload,
 * DESTROY, a signal handler) or by a program that embeds it.
 */
#define PERL_FROM_C (1ULL << 63)
#define PERL_BY_KEY (1ULL << 62)  /* CvNAMED */
#define PERL_LEXICAL (1ULL << 61) /* my sub: its name has no package */
/*
 * C runs the sub repeatedly in one context (MULTICALL), as sort and List::Util's first do. Only in
 * mixed walks.
 */
#define PERL_AGAIN (1ULL << 60)

/*
 * When an eval has ended, the memory of one of its statements may be reused for another statement.
 * The two statements are distinguished by line, file and place in the sequence of statements.
 */
#define PERL_COP 47

static inline enum perl_type perl_frame_type(uint64_t what)
{
	return (enum perl_type)VM_FRAME_TYPE(what);
}

enum { PERL_SUB_CACHE_SIZE = 1024 }; /* entries per CPU; a power of two up to 4096 */

/* Limits of one walk: the number of stacks and of contexts, and the bytes that one read takes. */
enum { PERL_STACKS_MAX = 1024, PERL_CONTEXTS_MAX = 1 << 16, PERL_BYTES = 256 };

/*
 * A cached sub and one of its statements. While the sub is at that statement, its name is valid, as
 * the statement is a part of it.
 */
struct perl_cached_sub {
	uint64_t cv, cop;
	uint32_t owner; /* tgid, or 0 if the entry is empty */
	uint32_t pad;
	uint64_t what, with;
};

struct perl_walk {
	struct vm_walk vm;
	union {
		uint64_t pointer[PERL_BYTES / 8];
		uint32_t number[PERL_BYTES / 4];
		uint16_t half[PERL_BYTES / 2];
	} bytes;                  /* the data that was read last */
	uint64_t contexts, below; /* contexts of the current stack; the stack below it */
	uint64_t cop;             /* statement of the next frame */
	int32_t at;               /* index in contexts, or -1 below the last one */
	int32_t type;             /* type of the stack: PERLSI_* */
	uint32_t nr_stacks, nr_contexts;
	bool begun; /* the last frame that was found in this stack was called from C */
};

enum { PERL_TEXT_MAX = 256 };

/* A text as stored in the target. */
struct perl_text {
	uint16_t len;                  /* bytes */
	bool cut;                      /* the text is longer */
	bool latin;                    /* Latin-1, else UTF-8 or plain bytes */
	char bytes[PERL_TEXT_MAX + 8]; /* with room for the bytes that are read to find the end */
};

/* The name and the location of a frame. */
struct perl_texts {
	uint32_t line, start_line; /* 0 if they are not known */
	bool named;                /* name and package could be read */
	bool placed;               /* file and line could be read */
	bool begins;      /* start_file and start_line could be read, and tell more than the name */
	bool has_package; /* if package is empty then, the package has no name */
	bool in_globs;    /* names of files come after "_<", as in the names of their globs */
	struct perl_text package, name; /* of subs; name is empty if the sub has none */
	struct perl_text file, start_file;
};

#endif
