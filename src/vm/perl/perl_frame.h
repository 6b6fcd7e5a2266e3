/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Perl's stacks, the state of a walk over them, and what frames are called. */
#ifndef VM_PERL_PERL_FRAME_H
#define VM_PERL_PERL_FRAME_H

#include "vm/vm_frame.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Types of frames. In a frame, the address in what is where the sub has its name: GV or HEK, 0:
 * none; with is by glob the first operator, by key the stash, else 0; at is the statement, and
 * above PERL_COP bits a hash of its place.
 */
enum perl_type {
	PERL_SUB = 1, /* a sub, or a format */
	PERL_EVAL,    /* eval, of a string or block, and require: "(eval)" */
	PERL_MAIN,    /* the outermost frame */
	PERL_XSUB,    /* the innermost one: a function in C that was called as a sub */
	PERL_LOOP,    /* no frame: only a run loop may begin there; only when asked for */
};

/*
 * From C: what the interpreter itself called in a new run loop (sort, tie, overload, DESTROY, a
 * signal's handler) or a program that embeds it.
 */
#define PERL_FROM_C (1ULL << 63)
#define PERL_BY_KEY (1ULL << 62)  /* CvNAMED */
#define PERL_LEXICAL (1ULL << 61) /* my sub: its name has no package */
/* C runs it again and again in one context (MULTICALL): sort, List::Util's first; if mixed */
#define PERL_AGAIN (1ULL << 60)

/*
 * The memory of a statement, of an eval that is over, may hold another one by now. That their
 * lines, files or places in the sequence of statements differ tells them apart.
 */
#define PERL_COP 47

static inline enum perl_type perl_frame_type(uint64_t what)
{
	return (enum perl_type)VM_FRAME_TYPE(what);
}

enum { PERL_SUB_CACHE_SIZE = 1024 }; /* remembered, of each processor; a power of two up to 4096 */

/* Limits of one walk: stacks, contexts; bytes that are read at once. */
enum { PERL_STACKS_MAX = 1024, PERL_CONTEXTS_MAX = 1 << 16, PERL_BYTES = 256 };

/*
 * A sub and the statement that it is at, as they were met before: then it is still that sub, for
 * the statement is a part of it.
 */
struct perl_cached_sub {
	uint64_t cv, cop;
	uint32_t owner; /* whose they are; 0: none */
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
	uint64_t contexts, below; /* of the stack that is looked at; the stack under it */
	uint64_t cop;             /* the statement of the next frame */
	int32_t at;               /* index in contexts, -1: below the last one */
	int32_t type;             /* of the stack, PERLSI_ */
	uint32_t nr_stacks, nr_contexts;
	bool begun; /* the last frame of this stack is from C */
};

enum { PERL_TEXT_MAX = 256 };

/* As it is in the target. */
struct perl_text {
	uint16_t len; /* bytes */
	bool cut;     /* there is more of it */
	bool latin;   /* each byte is a character, for perl; else it is UTF-8, or just bytes */
	char bytes[PERL_TEXT_MAX + 8]; /* and what was read to see that it ends */
};

/* What a frame is called and where it is. */
struct perl_texts {
	uint32_t line, start_line; /* 0: not known */
	bool named;                /* name, and package, could be read */
	bool placed;               /* file and line could */
	bool begins;               /* start_file and start_line could, and say more than the name */
	bool has_package;          /* that has no name when it has no length */
	bool in_globs; /* names of files come after "_<", as in the names of their globs */
	struct perl_text package, name; /* of subs; no name: it has none */
	struct perl_text file, start_file;
};

#endif
