/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk over Perl's stacks in user space (perl_step.h has its steps), and what the names of
 * frames are.
 */
#ifndef VM_PERL_PERL_WALK_H
#define VM_PERL_PERL_WALK_H

#include "perl.h"
#include "perl_frame.h"

struct strbuf;

/* The stack of the interpreter at the end of layout->interpreter. */
enum vm_end perl_walk(const struct perl_layout *layout, const struct memory *memory,
	uint64_t interpreter, struct vm_stack *stack);

/* The same for a thread whose thread pointer is THREAD. */
enum vm_end perl_walk_thread(const struct perl_layout *layout, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack);

/* Reads what FRAME is called, which must still be there. */
void perl_frame_texts(const struct perl_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, struct perl_texts *texts);

/*
 * Appends the name of a frame of that kind, as caller has it: "Package::sub", "(eval)", "sub" of a
 * lexical one; the outermost is "main"; but a sub without a name is "Package::__ANON__[FILE:LINE]",
 * where it begins. False, and nothing is appended: it could not be read.
 */
bool perl_texts_name(const struct perl_texts *texts, enum perl_type kind, struct strbuf *name);

/* Appends the file of its statement, whose line is texts->line. False: it could not be read. */
bool perl_texts_file(const struct perl_texts *texts, struct strbuf *file);

#endif
