/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of Perl in a process, for user space and the BPF programs. Addresses are those of the
 * process.
 */
#ifndef VM_PERL_PERL_LAYOUT_H
#define VM_PERL_PERL_LAYOUT_H

#include "perl_shape.h"
#include "vm/pointer_path.h"

enum perl_source { PERL_FROM_TABLE, PERL_FROM_DEBUGINFO };

struct perl_layout {
	unsigned minor, patch;   /* 5.MINOR.PATCH */
	bool threads;            /* built with ithreads */
	enum perl_source source; /* of the shape */
	/*
	 * The path to the interpreter (my_perl), which a thread may lack. No step: a build with
	 * just one, whose variables have addresses of their own. With threads, but not per_thread:
	 * only the first interpreter, the main thread's, can be found.
	 */
	struct pointer_path interpreter;
	/* PL_curcop, PL_curstackinfo, PL_op, PL_stack_sp: distances from the interpreter, or
	 * addresses */
	uint64_t curcop, curstackinfo, op, stack_sp;
	struct perl_shape shape;
};

#endif
