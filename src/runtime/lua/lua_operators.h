/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of Lua's bytecodes, as in lj_bc.h of LuaJIT and lopcodes.h of PUC Lua. */
#ifndef RUNTIME_LUA_LUA_OPERATORS_H
#define RUNTIME_LUA_LUA_OPERATORS_H

#include "lua_layout.h"

/*
 * Returns the name of an opcode, "[compiled]" for LUA_OP_COMPILED, or NULL if there is no such
 * opcode.
 */
const char *lua_operator_name(const struct lua_layout *l, uint32_t opcode);

#endif
