/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the functions in C of PUC Lua's own libraries. They come from the tables that register
 * the functions (luaL_Reg in lauxlib.h: a name and a function). User space only.
 */
#ifndef RUNTIME_LUA_PUC_LIBRARY_H
#define RUNTIME_LUA_PUC_LIBRARY_H

#include "process/target.h"

#include <stdint.h>

struct puc_library;

/*
 * Reads the libraries in FILE, which contains Lua, from the memory M that it is mapped in, so a
 * process with forged tables only affects its own names. The result stays valid. Returns NULL if no
 * library is found or too many different ones were seen.
 */
const struct puc_library *puc_library_learn(const struct target_file *file, const struct memory *m);

/*
 * Returns the name of the function at link address ADDRESS, such as "string.gsub", "pcall" or
 * "file:read", or NULL if it is not known.
 */
const char *puc_library_name(const struct puc_library *l, uint64_t address);

#endif
