/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks CPython's stacks in user space, with the steps of python_step.h, and names their frames.
 */
#ifndef RUNTIME_PYTHON_PYTHON_WALK_H
#define RUNTIME_PYTHON_PYTHON_WALK_H

#include "process/target.h"
#include "python_frame.h"
#include "python_layout.h"
#include "runtime/vm.h"

struct strbuf;

/* Walks the stack of the thread with the thread pointer THREAD. */
enum vm_end python_walk(const struct python_layout *layout, const struct memory *memory,
	uint64_t thread, struct vm_stack *stack);

/* Reads the texts of FRAME, which must still be in memory. */
void python_frame_texts(const struct python_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, struct python_texts *texts);

/*
 * Appends the name of the function that CPython calls NAME, whose FILE is "" if it is not known or
 * cut: see python_texts_name().
 */
void python_name_add(const char *name, const char *file, struct strbuf *out);

/*
 * Appends the name of a function, "json.decoder:JSONDecoder.decode": the module as its file tells
 * it, and the qualified name, which is the plain name before 3.11. Returns false if it could not be
 * read.
 */
bool python_texts_name(const struct python_texts *texts, struct strbuf *name);

/* Appends the file. Returns false if it could not be read. */
bool python_texts_file(const struct python_texts *texts, struct strbuf *file);

#endif
