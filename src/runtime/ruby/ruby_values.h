/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of Ruby in processes as variables of a stap script, in the format described in
 * tapsets/ruby/ruby_values.stp.
 */
#ifndef RUNTIME_RUBY_RUBY_VALUES_H
#define RUNTIME_RUBY_RUBY_VALUES_H

#include "ruby_layout.h"
#include "runtime/vm_values.h"

/* The members of a layout that the tapset needs, in its order. The steps of the paths follow. */
#define RUBY_NUMBERS(NUMBER)                                                                       \
	NUMBER(cfp_size, shape.cfp_size)                                                           \
	NUMBER(insns_info, shape.insns_info)                                                       \
	NUMBER(local_iseq, shape.local_iseq)                                                       \
	NUMBER(entry_size, shape.entry_size)                                                       \
	NUMBER(embedded, shape.embedded)                                                           \
	NUMBER(short_length, shape.short_length)                                                   \
	NUMBER(pushed_first, shape.pushed_first)                                                   \
	NUMBER(class_name, classes.name)                                                           \
	NUMBER(class_attached, classes.attached)                                                   \
	NUMBER(class_shapes, classes.shapes)                                                       \
	NUMBER(class_facts, classes.facts)                                                         \
	NUMBER(is_singleton, classes.is_singleton)                                                 \
	NUMBER(ids, ids)                                                                           \
	NUMBER(gc_flags, gc_flags)                                                                 \
	NUMBER(during_gc, during_gc)

/* Adds the layout in PID. Returns false if there is no room. */
bool ruby_values_add(struct vm_values *v, uint32_t pid, const struct ruby_layout *layout);

#endif
