/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of Perl in a process, for user space and the BPF programs. All addresses are run-time
 * addresses in the process.
 */
#ifndef RUNTIME_PERL_PERL_LAYOUT_H
#define RUNTIME_PERL_PERL_LAYOUT_H

#include "perl_shape.h"
#include "runtime/pointer_path.h"

struct operator_names;

enum perl_source { PERL_FROM_TABLE, PERL_FROM_DEBUGINFO };

struct perl_layout {
	unsigned minor, patch;   /* 5.MINOR.PATCH */
	bool threads;            /* built with ithreads */
	enum perl_source source; /* where the shape comes from */
	/*
	 * The path to the interpreter (my_perl), which a thread may lack. It has no steps in a
	 * build with a single interpreter, whose variables have fixed addresses. In a build with
	 * threads, a path that is not per_thread only leads to the first interpreter, which is the
	 * main thread's.
	 */
	struct pointer_path interpreter;
	/*
	 * PL_curcop, PL_curstackinfo, PL_op and PL_stack_sp as offsets in the interpreter, or as
	 * addresses if the path has no steps.
	 */
	uint64_t curcop, curstackinfo, op, stack_sp;
	struct perl_shape shape;
	uint16_t sort; /* VM_OP() of sort, or 0 if the operators were not read */
	/* The names of the operators, or NULL if they were not read. User space only. */
	const struct operator_names *operators;
};

#endif
