/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules for splicing Lua's frames into the native stack, where they replace the frames of the
 * interpreter.
 *
 * LuaJIT: each frame of the interpreter runs the Lua frames up to one that was called from C, or
 * to the end of a coroutine. A trace runs in the frame that it was entered from. So there are as
 * many such segments of Lua frames as frames of the interpreter.
 *
 * PUC Lua: each frame of luaV_execute() is one run of the interpreter, and stands for the Lua
 * frames from the one that began the run. luaV_execute() has no symbol, but it is by far the
 * largest function that lua_call() leads to. A coroutine that was resumed has a single run for all
 * the runs that it had when it yielded. Stacks in which the numbers of runs and loops differ are
 * inconsistent.
 */
#ifndef RUNTIME_LUA_LUA_SPLICE_H
#define RUNTIME_LUA_LUA_SPLICE_H

#include "runtime/splice.h"

/* Role of a function in the file that contains PUC Lua. */
enum lua_role {
	LUA_ROLE_RESUME = SPLICE_OWN, /* lua_resume, which continues a coroutine */
};

extern const struct splice_rules lua_splice;

#endif
