/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the functions that LuaJIT itself has, by ffid, which differs between builds. They are
 * those of its libraries in package.loaded, read from a state. User space only.
 */
#ifndef VM_LUA_LUAJIT_FAST_H
#define VM_LUA_LUAJIT_FAST_H

#include "process/target.h"

#include <stdint.h>

struct luajit_fast;

/*
 * What is known of FILE, with what the libraries of the state GLOBAL add. All processes with that
 * file, as its build-id tells, share the result, which stays valid. NULL: nothing is known, or too
 * many files were seen.
 */
const struct luajit_fast *luajit_fast_learn(
	const struct target_file *file, const struct memory *m, uint64_t global);

/*
 * "string.gsub", "pcall", "file:read"; NULL: not known. If it has several names, as a program may
 * give it others, then one with a library before the others, shorter before longer ones, then the
 * first by alphabet.
 */
const char *luajit_fast_name(const struct luajit_fast *f, unsigned ffid);

/* "LuaJIT 2.1.0-beta3"; NULL: not known. */
const char *luajit_fast_version(const struct luajit_fast *f);

#endif
