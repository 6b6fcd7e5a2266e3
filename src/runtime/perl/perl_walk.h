/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks Perl's stacks in user space, with the steps of perl_step.h, and names their frames.
 */
#ifndef RUNTIME_PERL_PERL_WALK_H
#define RUNTIME_PERL_PERL_WALK_H

#include "perl.h"
#include "perl_frame.h"
#include "runtime/vm.h"

struct strbuf;

/* Walks the stack of INTERPRETER, which layout->interpreter has led to. */
enum vm_end perl_walk(const struct perl_layout *layout, const struct memory *memory,
	uint64_t interpreter, struct vm_stack *stack);

/* Walks the stack of the interpreter in the thread with the thread pointer THREAD. */
enum vm_end perl_walk_thread(const struct perl_layout *layout, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack);

/* Reads the texts of FRAME, which must still be in memory. */
void perl_frame_texts(const struct perl_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, struct perl_texts *texts);

/*
 * Appends the name of a frame of this kind, as caller() reports it: "Package::sub", "(eval)", or
 * "sub" for a lexical sub. The outermost frame is "main", and a sub without a name is
 * "Package::__ANON__[FILE:LINE]" with its first line. Returns false and appends nothing if the name
 * could not be read.
 */
bool perl_texts_name(const struct perl_texts *texts, enum perl_type kind, struct strbuf *name);

/*
 * Appends the name of an eval or require, "(eval FILE:LINE)" with the statement of its caller,
 * "(eval in eval)" if that is in a text, or "require FILE.pm". Returns false if they do not tell.
 */
bool perl_name_eval(
	const struct vm_place *frame, const struct vm_place *caller, struct strbuf *name);

/*
 * Appends the file of the frame's statement, whose line is texts->line. Returns false if it could
 * not be read.
 */
bool perl_texts_file(const struct perl_texts *texts, struct strbuf *file);

#endif
