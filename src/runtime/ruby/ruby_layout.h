/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of Ruby in a process, for user space and the BPF programs. All addresses are run-time
 * addresses in the process.
 */
#ifndef RUNTIME_RUBY_RUBY_LAYOUT_H
#define RUNTIME_RUBY_RUBY_LAYOUT_H

#include "runtime/pointer_path.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Offsets and sizes that differ between versions (x86-64), named as in Ruby's vm_core.h, iseq.h and
 * internal/class.h. The offsets in classes are learned in the process.
 */
struct ruby_shape {
	uint32_t cfp_size;   /* of rb_control_frame_t */
	uint32_t insns_info; /* in struct rb_iseq_constant_body */
	uint32_t local_iseq; /* there */
	uint32_t entry_size; /* of struct iseq_insn_info_entry */
	/*
	 * Where the bytes of a short string are in its object. Its length is before them, or, until
	 * 3.1, in its flags.
	 */
	uint32_t embedded;
	uint32_t short_length; /* the length is in the flags */
	uint32_t pushed_first; /* a control frame is pushed before it is written */
};

/*
 * Where classes keep two facts: the name, and in singleton classes the object that they belong to.
 */
enum ruby_class_facts {
	RUBY_MEMBERS,   /* members of the class, since 3.3 */
	RUBY_IN_TABLE,  /* instance variables in a table, until 3.1 */
	RUBY_BY_SHAPES, /* instance variables in an array, whose order a shape tells: 3.2 */
};

struct ruby_classes {
	uint64_t name, attached; /* their offsets, or the IDs of the variables */
	uint64_t shapes;         /* the address of all shapes */
	uint32_t facts;          /* enum ruby_class_facts */
	uint32_t is_singleton;   /* the flag of singleton classes */
};

struct ruby_layout {
	unsigned major, minor, patch;
	struct pointer_path ec; /* to the execution context of each thread */
	/* To the garbage collector's flags, without steps if they are not known. */
	struct pointer_path gc;
	uint32_t gc_flags; /* offset of the byte that has during_gc */
	uint32_t during_gc;
	uint64_t ids; /* the address of the array with the names of IDs */
	struct ruby_shape shape;
	struct ruby_classes classes;
};

#endif
