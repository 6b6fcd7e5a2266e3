/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of the functions in C of PUC Lua's own libraries, by the tables that register them
 * (luaL_Reg in lauxlib.h: a name and a function). User space only.
 */
#ifndef VM_LUA_PUC_LIBRARY_H
#define VM_LUA_PUC_LIBRARY_H

#include "process/target.h"

#include <stdint.h>

struct puc_library;

/*
 * The libraries in FILE, which has Lua, read from the memory M that it is mapped in: a process that
 * lies about them does so about itself only. The result stays valid. NULL: none is found, or too
 * many different ones were seen.
 */
const struct puc_library *puc_library_learn(const struct target_file *file, const struct memory *m);

/* "string.gsub", "pcall", "file:read": the function at link address ADDRESS; NULL: not known. */
const char *puc_library_name(const struct puc_library *l, uint64_t address);

#endif
