/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locates thread-specific data in the C library of a process, for glibc and musl on x86-64. */
#ifndef RUNTIME_THREADKEY_H
#define RUNTIME_THREADKEY_H

#include "pointer_path.h"
#include "process/target.h"

/* The symbols of C libraries that the following functions look for. */
#define THREADKEY_SPECIFIC "_thread_db_pthread_specific"
#define THREADKEY_GET "pthread_getspecific"
#define THREADKEY_SYMBOLS THREADKEY_SPECIFIC, THREADKEY_GET

/*
 * Sets *PATH to the path to the value that pthread_getspecific(KEY) returns. Returns false if no
 * known C library is mapped.
 */
bool threadkey_path(const struct target *target, uint32_t key, struct pointer_path *path);

/*
 * Sets *PATH to the path to the word at OFFSET in a module's thread-local block, through the
 * thread's table of blocks. Returns false if no known C library is mapped.
 */
bool threadkey_block_path(
	const struct target *target, uint64_t module, uint64_t offset, struct pointer_path *path);

#endif
