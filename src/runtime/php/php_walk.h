/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks PHP's stacks in user space, with the steps of php_step.h, and names their frames. */
#ifndef RUNTIME_PHP_PHP_WALK_H
#define RUNTIME_PHP_PHP_WALK_H

#include "php_frame.h"
#include "php_layout.h"
#include "process/target.h"
#include "runtime/vm.h"

struct strbuf;

/*
 * Walks the stack of the thread with the thread pointer THREAD. NATIVE tells its registers, or is
 * NULL if it waits.
 */
enum vm_end php_walk(const struct php_layout *layout, const struct memory *memory, uint64_t thread,
	const struct vm_native *native, struct vm_stack *stack);

/* Reads the texts of FRAME, which must still be in memory. */
void php_frame_texts(const struct php_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct php_texts *texts);

/*
 * Appends the name of a frame of this type: "function", "Class::method", "{main}", "require
 * file.php" or "eval". Returns false and appends nothing if it could not be read.
 */
bool php_texts_name(const struct php_texts *texts, enum php_type type, struct strbuf *name);

/* Appends the file, whose line is texts->line. Returns false if it could not be read. */
bool php_texts_file(const struct php_texts *texts, struct strbuf *file);

#endif
