/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locates thread-specific data in the C library of a process. x86-64, glibc and musl. */
#ifndef VM_THREADKEY_H
#define VM_THREADKEY_H

#include "pointer_path.h"
#include "process/target.h"

/* The symbols of C libraries that the following look for; the last is NULL. */
extern const char *const threadkey_symbols[];

/*
 * The path to the value that pthread_getspecific(KEY) returns; false: no known C library is mapped.
 */
bool threadkey_path(const struct target *target, uint32_t key, struct pointer_path *path);

/*
 * The path to the word at OFFSET in a module's thread-local block, through the thread's table of
 * blocks.
 */
bool threadkey_block_path(
	const struct target *target, uint64_t module, uint64_t offset, struct pointer_path *path);

#endif
