/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Lua's frames into the native stack, where they are in place of frames of the
 * interpreter.
 *
 * LuaJIT: each of the interpreter's frames has the Lua frames up to one that was called from C, or
 * to the end of a coroutine; a trace is in the frame that it was entered from. So both have the
 * same number.
 *
 * PUC Lua: each frame of luaV_execute(), which has no symbol but is by far the largest function
 * that lua_call() leads to, is one run of the interpreter, and has the Lua frames that began with
 * it. A coroutine that was resumed has one run for all that were there when it had yielded. Stacks
 * in which the numbers are unequal are inconsistent.
 */
#ifndef VM_LUA_LUA_SPLICE_H
#define VM_LUA_LUA_SPLICE_H

#include "vm/splice.h"

/* Role of a function in PUC Lua's file. */
enum lua_role {
	LUA_ROLE_RESUME = SPLICE_OWN, /* goes on with a coroutine: lua_resume */
};

extern const struct splice_rules lua_splice;

#endif
