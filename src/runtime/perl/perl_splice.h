/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Perl's frames into the native stack. A run loop is begun by the program
 * itself, by a sub that C called, by the block of a sort, by code in a regex, and by an eval in
 * code that C called without catching exceptions. Perl runs such an eval, and the statements after
 * it, in a loop of their own. But at times a beginner or a loop has no partner:
 *
 *   - "main" has no loop while the program is compiled, at its end, in threads, and in programs
 * that embed Perl and only call subs. Then it shares the loop of the sub that C called.
 *   - There is no loop between two calls of a sort's sub or of a block that a module's C code calls
 *     repeatedly: these frames are omitted, as C code runs below them. There is no loop either in
 *     evals and requires that are still being compiled: these frames go onto their callers' loop.
 *   - A loop has no frames while it runs a single operator or a sub in C, or when its sub has
 * ended.
 *   - The loop of an eval that has ended runs the statements of its sub that follow. It gets all
 *     frames called by the sub that C called, as the place of the eval in that sub is not known.
 */
#ifndef RUNTIME_PERL_PERL_SPLICE_H
#define RUNTIME_PERL_PERL_SPLICE_H

#include "runtime/splice.h"

/* Roles of functions in the file that contains perl. */
enum perl_role {
	PERL_ROLE_CALL = SPLICE_OWN, /* calls a sub: Perl_call_sv, Perl_amagic_call */
	PERL_ROLE_EVAL,              /* evaluates a string: Perl_eval_sv */
	PERL_ROLE_RUN,               /* runs the program: perl_run */
};

extern const struct splice_rules perl_splice;

#endif
