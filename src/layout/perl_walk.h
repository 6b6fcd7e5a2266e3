/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over Perl's stacks: which frames a thread of a process is in, as perl's own caller would
 * tell, and what their names are. This one is the specification of those in tapsets/ and in the
 * kernel's programs: no recursion, every loop bounded, every read may fail.
 */
#ifndef PERL_WALK_H
#define PERL_WALK_H

#include "perl.h"

struct strbuf;

enum perl_kind {
	PERL_SUB,  /* a sub, or a format */
	PERL_EVAL, /* eval, of a string or block, and require: "(eval)" */
	PERL_MAIN, /* the outermost frame */
	PERL_XSUB, /* the innermost one: a function in C that was called as a sub */
};

struct perl_frame {
	enum perl_kind kind;
	/*
	 * From C: what the interpreter itself called (sort, tie, overload, DESTROY, a signal's
	 * handler) or a program that embeds it.
	 */
	bool from_c;
	int32_t stack; /* why it has a stack of its own: PERLSI_ of perl's cop.h */
	uint64_t cv;   /* which sub: 0 for PERL_EVAL and PERL_MAIN */
	uint64_t cop;  /* the statement that it is at */
};

enum perl_end {
	PERL_WHOLE,        /* the last frame is PERL_MAIN */
	PERL_CUT,          /* there are more than asked for */
	PERL_NOT_RUNNING,  /* no interpreter in this thread, or none that has begun or is not over
			      yet */
	PERL_INCONSISTENT, /* between two states, or not Perl's memory at all */
};

/* As many frames as the two loops over a stack allow, for the whole of it. */
enum { PERL_STACKS_MAX = 1024, PERL_CONTEXTS_MAX = 1 << 16 };

/*
 * The frames, innermost first, MAX at most, of the interpreter at the end of layout->interpreter;
 * *NR is their number, also when the walk does not end well: those are right as far as they go.
 */
enum perl_end perl_walk(const struct perl_layout *layout, const struct memory *memory,
	uint64_t interpreter, struct perl_frame *frames, size_t max, size_t *nr);

/* The same for a thread whose thread pointer is THREAD. */
enum perl_end perl_walk_thread(const struct perl_layout *layout, const struct memory *memory,
	uint64_t thread, struct perl_frame *frames, size_t max, size_t *nr);

/*
 * Appends a frame's name, as caller has it: "Package::sub", "Package::__ANON__", "(eval)", "sub" of
 * a lexical one; the outermost is "main". False, and nothing is appended: what is there is no sub.
 */
bool perl_frame_name(const struct perl_layout *layout, const struct memory *memory,
	const struct perl_frame *frame, struct strbuf *name);

/* Appends the file of the statement COP, and tells its line (0: none). False: it is no statement.
 */
bool perl_cop_place(const struct perl_layout *layout, const struct memory *memory, uint64_t cop,
	struct strbuf *file, uint32_t *line);

/* The first statement of the sub CV; 0: it has none, as in C. */
uint64_t perl_sub_start(const struct perl_layout *layout, const struct memory *memory, uint64_t cv);

#endif
