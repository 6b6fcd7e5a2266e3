/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interpreters whose stacks can be recorded: one folder and one row of vms[] each. */
#ifndef VM_VM_H
#define VM_VM_H

#include "model/recording.h"
#include "splice.h"
#include "vm_frame.h"

struct vm {
	const char *name; /* as in options, stap's lines and notes: "perl" */
	enum vm_kind kind;
	enum stack_kind stack;
	enum frame_kind frame;
	const struct splice_rules *splice;
};

enum { NR_VMS = VM_KINDS - 1 };

extern const struct vm *const vms[NR_VMS];

/* NULL: there is none of that name. */
const struct vm *vm_named(const char *name, size_t len);

/* The one whose stacks are of this kind; NULL: they are of no interpreter. */
const struct vm *vm_of_stack(enum stack_kind kind);

#endif
