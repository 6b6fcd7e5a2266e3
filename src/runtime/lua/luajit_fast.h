/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of LuaJIT's own functions by ffid, which differs between builds. The names are the keys of
 * the libraries in package.loaded, read from a state. User space only.
 */
#ifndef RUNTIME_LUA_LUAJIT_FAST_H
#define RUNTIME_LUA_LUAJIT_FAST_H

#include "process/target.h"

#include <stdint.h>

struct luajit_fast;

/*
 * Adds the names in the libraries of the state GLOBAL to the names that are known for FILE. All
 * processes with this file, identified by its build-id, share the result, which stays valid.
 * Returns NULL if too many files were seen.
 */
const struct luajit_fast *luajit_fast_learn(
	const struct target_file *file, const struct memory *m, uint64_t global);

/*
 * Returns a name such as "string.gsub", "pcall" or "file:read", or NULL if it is not known. A
 * program may give functions more names. Names with a library are preferred, then shorter names,
 * then the first in alphabetical order.
 */
const char *luajit_fast_name(const struct luajit_fast *f, unsigned ffid);

/* Returns the version, such as "LuaJIT 2.1.0-beta3", or NULL if it is not known. */
const char *luajit_fast_version(const struct luajit_fast *f);

#endif
