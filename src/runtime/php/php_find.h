/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds PHP in a process: its version, and where each thread has its globals. */
#ifndef RUNTIME_PHP_PHP_FIND_H
#define RUNTIME_PHP_PHP_FIND_H

#include "php_layout.h"
#include "process/target.h"

struct strbuf;

/* The interpreter's loop, which every PHP exports, and no other program. */
#define PHP_SYMBOL "execute_ex"

/* Returns the file of T that contains PHP, or NULL if there is none. */
const struct target_file *php_file(const struct target *t);

/*
 * Finds PHP in T. LIKE is a layout that was found earlier in the same file, or NULL; it saves the
 * search for the version. Returns 1 if there is no PHP, and -1 with ERR if there is one but it
 * cannot be walked.
 */
int php_find(const struct target *t, const struct php_layout *like, struct php_layout *layout,
	struct strbuf *err);

/*
 * Finds the globals NAME, which are "executor_globals" or "sapi_globals": the path to the memory
 * that has them, and *AT, their offset there, or their address if the path has no steps. Returns -1
 * with ERR if they cannot be found.
 */
int php_find_globals(const struct target *t, const char *name, const struct php_layout *layout,
	struct pointer_path *path, uint64_t *at, struct strbuf *err);

/*
 * Reads the names of the opcodes, such as DO_FCALL, in T, where PHP was found. Returns NULL if they
 * cannot be found.
 */
const struct operator_names *php_find_operators(const struct target *t);

/* Appends "PHP 8.2 in FILE of process PID", and how it was built. */
void php_describe(
	const struct php_layout *layout, const char *path, uint32_t pid, struct strbuf *out);

#endif
