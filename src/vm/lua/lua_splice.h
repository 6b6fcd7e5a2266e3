/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Lua's frames into the native stack. Each of LuaJIT's interpreter's frames
 * there has the Lua frames up to one that was called from C, or to the end of a coroutine; a trace
 * is in the frame that it was entered from. So both have the same number, and the Lua frames are in
 * place of it.
 */
#ifndef VM_LUA_LUA_SPLICE_H
#define VM_LUA_LUA_SPLICE_H

#include "vm/splice.h"

extern const struct splice_rules lua_splice;

#endif
