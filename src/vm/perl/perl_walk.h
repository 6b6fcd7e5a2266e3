/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over Perl's stacks in user space (for its steps see perl_step.h), and the names of
 * frames.
 */
#ifndef VM_PERL_PERL_WALK_H
#define VM_PERL_PERL_WALK_H

#include "perl.h"
#include "perl_frame.h"

struct strbuf;

/* Walks the stack of the interpreter that layout->interpreter leads to. */
enum vm_end perl_walk(const struct perl_layout *layout, const struct memory *memory,
	uint64_t interpreter, struct vm_stack *stack);

/* The same for a thread whose thread pointer is THREAD. */
enum vm_end perl_walk_thread(const struct perl_layout *layout, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack);

/* Reads the texts of FRAME, which must still be in memory. */
void perl_frame_texts(const struct perl_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, struct perl_texts *texts);

/*
 * Appends the name of a frame of that kind, as reported by caller: "Package::sub", "(eval)", "sub"
 * of a lexical one; the outermost is "main"; but a sub without a name is
 * "Package::__ANON__[FILE:LINE]" with its first line. False, and nothing is appended: it could not
 * be read.
 */
bool perl_texts_name(const struct perl_texts *texts, enum perl_type kind, struct strbuf *name);

/* Appends the file of its statement, whose line is texts->line. False: it could not be read. */
bool perl_texts_file(const struct perl_texts *texts, struct strbuf *file);

#endif
