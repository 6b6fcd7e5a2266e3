/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks Ruby's stacks in user space, with the steps of ruby_step.h, and names their frames.
 */
#ifndef RUNTIME_RUBY_RUBY_WALK_H
#define RUNTIME_RUBY_RUBY_WALK_H

#include "process/target.h"
#include "ruby_frame.h"
#include "ruby_layout.h"
#include "runtime/vm.h"

struct strbuf;

/* Walks the stack of Ruby in the thread with the thread pointer THREAD. */
enum vm_end ruby_walk_thread(const struct ruby_layout *layout, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack);

/* Reads the texts of FRAME, which must still be in memory. */
void ruby_frame_texts(const struct ruby_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, struct ruby_texts *texts);

/* Returns whether the string object at ADDRESS is TEXT. */
bool ruby_string_is(const struct ruby_layout *layout, const struct memory *memory, uint64_t address,
	const char *text);

/* Sets *NAME to the string object with the name of ID. Returns false if it is not found. */
bool ruby_id_name(
	const struct ruby_layout *layout, const struct memory *memory, uint64_t id, uint64_t *name);

/*
 * Appends the name of a frame as Ruby 3.4 has it: "Class#method", "Module.method", "block in
 * Class#method", "<main>". Returns false and appends nothing if the name could not be read.
 */
bool ruby_texts_name(const struct ruby_texts *texts, enum ruby_type type, struct strbuf *name);

/* Appends the file of the frame. Returns false if it has none, or it could not be read. */
bool ruby_texts_file(const struct ruby_texts *texts, struct strbuf *file);

#endif
