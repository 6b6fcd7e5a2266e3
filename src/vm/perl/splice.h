/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stack of two: the frames of a thread in C, and those of the Perl that it runs, taken at the
 * same moment. Perl's frames stand right on top of the run loop that executes them.
 *
 * Outermost first, what begins a run loop in C and what begins one in Perl correspond: the program
 * itself, subs that C called, sort's blocks, code in a regex, and evals in code that C called
 * without catching exceptions (perl runs them in a loop of their own, and what follows them, too).
 * But not each has its partner at each moment:
 *
 *   - "main" has no loop while the program is compiled, at its end, in threads and in programs that
 *     embed Perl and call subs only: then it stands with what C called;
 *   - between two calls of a sort's sub or of a block that a module's C code calls again and again,
 *     and in evals and requires that still compile, what begins has no loop. The former's frames
 *     are left out, for C code is at work below them; the latter's stand with their callers;
 *   - a loop is without frames when it runs one operator, or a sub in C, or when its sub is over;
 *   - the loop of an eval that is over goes on with what its sub does next: that stands there, all
 *     that was called by the sub which C called, for where in it the eval was nobody knows.
 *
 * So both lists are aligned at the least cost; the function in C that begins a loop tells which
 * kind it may be. What does not fit at all is inconsistent and never guessed.
 */
#ifndef VM_PERL_SPLICE_H
#define VM_PERL_SPLICE_H

#include "perl_frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;

/* What the function of a frame in C is. */
enum splice_role {
	SPLICE_ELSEWHERE, /* in a file without Perl */
	SPLICE_PERL,      /* in perl's file, and none of the following */
	SPLICE_LOOP,      /* a run loop */
	SPLICE_CALL,      /* calls a sub: Perl_call_sv, Perl_amagic_call */
	SPLICE_EVAL,      /* evaluates a string: Perl_eval_sv */
	SPLICE_RUN,       /* runs the program: perl_run */
};

/* Where these functions are in a file; addresses are those of its own headers. */
struct splice_code {
	struct splice_range {
		uint64_t start, end;
		enum splice_role role;
	} ranges[8];
	size_t nr;
};

/* False: ELF has no Perl, all of its frames are SPLICE_ELSEWHERE. */
bool splice_code_find(struct splice_code *code, const struct elffile *elf);

/* ADDRESS is in the file of CODE: of the leaf, or of the call (the return address less one). */
enum splice_role splice_code_role(const struct splice_code *code, uint64_t address);

struct splice {
	const struct splice_c {
		uint32_t id;
		enum splice_role role;
	} * c; /* leaf first */
	size_t nr_c;
	bool whole; /* it reaches the thread's first function */
	const struct splice_perl {
		uint64_t what; /* as in struct perl_frame; the address does not matter */
		uint32_t id;   /* not used for PERL_LOOP */
	} * perl;              /* leaf first, of a walk that was told to be mixed */
	size_t nr_perl;
	enum perl_end end;
	uint32_t inconsistent; /* the id of a frame that says so */
};

/*
 * Writes the ids of the merged stack, leaf first, to MERGED, which has room for nr_c + nr_perl + 1;
 * their number. Every frame in C stands in it; but when they are not whole those of the run loops
 * and below are left out, and all of Perl's stand at the root. *CONSISTENT is false when the two do
 * not fit or Perl's own walk did not end well: then it has the frames in C with s->inconsistent on
 * top of the outermost run loop, or at the root when there is none.
 */
size_t splice_stacks(const struct splice *s, uint32_t *merged, bool *consistent);

#endif
