/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Perl's frames into the native stack. Run loops are begun by the program
 * itself, subs that C called, sort's blocks, code in a regex, and evals in code that C called
 * without catching exceptions (perl runs them in a loop of their own, and what follows them, too).
 * But at times one has no partner:
 *
 *   - "main" has no loop while the program is compiled, at its end, in threads and in programs that
 *     embed Perl and call subs only: then it shares the loop of what C called;
 *   - between two calls of a sort's sub or of a block that a module's C code calls repeatedly, and
 *     in evals and requires that are still compiled, there is no loop. In the first case the frames
 *     are omitted, as C code runs below them; else they are on their callers' loop;
 *   - a loop is without frames while it runs one operator or a sub in C, or when its sub has ended;
 *   - the loop of an eval that has ended continues with what its sub does next: it has everything
 *     called by the sub that C called, as the place of the eval in it is not known.
 */
#ifndef VM_PERL_PERL_SPLICE_H
#define VM_PERL_PERL_SPLICE_H

#include "vm/splice.h"

/* Roles of functions in perl's file. */
enum perl_role {
	PERL_ROLE_CALL = SPLICE_OWN, /* calls a sub: Perl_call_sv, Perl_amagic_call */
	PERL_ROLE_EVAL,              /* evaluates a string: Perl_eval_sv */
	PERL_ROLE_RUN,               /* runs the program: perl_run */
};

extern const struct splice_rules perl_splice;

#endif
