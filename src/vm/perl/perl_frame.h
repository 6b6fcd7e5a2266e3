/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Perl's stacks, the state of a walk, and the texts of frames. */
#ifndef VM_PERL_PERL_FRAME_H
#define VM_PERL_PERL_FRAME_H

#include "vm/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Types of frames. In a frame, the address in what is that of the sub's name: GV or HEK, 0: none;
 * with is the first operator for a GV, the stash for a HEK, else 0; at is the statement, with a
 * hash of its location above PERL_COP bits.
 */
enum perl_type {
	PERL_SUB = 1, /* a sub, or a format */
	PERL_EVAL,    /* eval, of a string or block, and require: "(eval)" */
	PERL_MAIN,    /* the outermost frame */
	PERL_XSUB,    /* the innermost one: a function in C that was called as a sub */
	PERL_LOOP,    /* no frame, but a possible run loop; only with mixed */
};

/*
 * Called from C: by the interpreter itself in a new run loop (sort, tie, overload, DESTROY, a
 * signal handler) or by a program that embeds it.
 */
#define PERL_FROM_C (1ULL << 63)
#define PERL_BY_KEY (1ULL << 62)  /* CvNAMED */
#define PERL_LEXICAL (1ULL << 61) /* my sub: its name has no package */
/* C runs it repeatedly in one context (MULTICALL): sort, List::Util's first; only with mixed */
#define PERL_AGAIN (1ULL << 60)

/*
 * The memory of a statement of an eval that has ended may be reused for another one. They are
 * distinguished by line, file and place in the sequence of statements.
 */
#define PERL_COP 47

static inline enum perl_type perl_frame_type(uint64_t what)
{
	return (enum perl_type)VM_FRAME_TYPE(what);
}

enum { PERL_SUB_CACHE_SIZE = 1024 }; /* entries per CPU; a power of two up to 4096 */

/* Limits of one walk: stacks, contexts; bytes that are read at once. */
enum { PERL_STACKS_MAX = 1024, PERL_CONTEXTS_MAX = 1 << 16, PERL_BYTES = 256 };

/*
 * A cached sub and one of its statements. While the sub is at that statement, its name is valid, as
 * the statement is a part of it.
 */
struct perl_cached_sub {
	uint64_t cv, cop;
	uint32_t owner; /* tgid; 0: empty */
	uint32_t pad;
	uint64_t what, with;
};

struct perl_walk {
	struct vm_walk vm;
	union {
		uint64_t pointer[PERL_BYTES / 8];
		uint32_t number[PERL_BYTES / 4];
		uint16_t half[PERL_BYTES / 2];
	} bytes;                  /* what was read last */
	uint64_t contexts, below; /* of the current stack; the stack below it */
	uint64_t cop;             /* the statement of the next frame */
	int32_t at;               /* index in contexts, -1: below the last one */
	int32_t type;             /* of the stack, PERLSI_ */
	uint32_t nr_stacks, nr_contexts;
	bool begun; /* the last frame of this stack is from C */
};

enum { PERL_TEXT_MAX = 256 };

/* A text as stored in the target. */
struct perl_text {
	uint16_t len;                  /* bytes */
	bool cut;                      /* there is more of it */
	bool latin;                    /* Latin-1; else UTF-8 or plain bytes */
	char bytes[PERL_TEXT_MAX + 8]; /* and what is read to find the end */
};

/* The name and the location of a frame. */
struct perl_texts {
	uint32_t line, start_line; /* 0: not known */
	bool named;                /* name, and package, could be read */
	bool placed;               /* file and line could */
	bool begins;               /* start_file and start_line could, and say more than the name */
	bool has_package;          /* empty: it has no name */
	bool in_globs; /* names of files come after "_<", as in the names of their globs */
	struct perl_text package, name; /* of subs; no name: it has none */
	struct perl_text file, start_file;
};

#endif
