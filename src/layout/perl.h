/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perl in a process: where the interpreter is, of each thread, and how its structures are laid out.
 * All that the walkers need; perl_walk.h is the one that tells how they walk. x86-64.
 */
#ifndef PERL_H
#define PERL_H

#include "perl_shape.h"
#include "target.h"

struct strbuf;

enum perl_source { PERL_FROM_TABLE, PERL_FROM_DEBUGINFO };

struct perl_layout {
	const char *path;        /* of the file that has the interpreter: the target's string */
	unsigned minor, patch;   /* 5.MINOR.PATCH */
	bool threads;            /* built with ithreads */
	enum perl_source source; /* of the shape */
	/*
	 * The way to the interpreter (my_perl), which a thread may lack. No step: a build with just
	 * one, whose variables have addresses of their own. With threads, but not per_thread: that
	 * of the thread can not be found, just the first one, which is the main thread's.
	 */
	struct way interpreter;
	/* PL_curcop, PL_curstackinfo, PL_op, PL_stack_sp: distances from the interpreter, or
	 * addresses */
	uint64_t curcop, curstackinfo, op, stack_sp;
	struct perl_shape shape;
};

/* Finds Perl in T. 1: there is none; -1 and ERR: there is one, but it cannot be walked. */
int perl_find(const struct target *t, struct perl_layout *layout, struct strbuf *err);

#endif
