/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layouts of Lua in processes as variables of a stap script, in the format described in
 * tapsets/lua/lua_values.stp.
 */
#ifndef RUNTIME_LUA_LUA_VALUES_H
#define RUNTIME_LUA_LUA_VALUES_H

#include "lua_layout.h"
#include "runtime/vm_values.h"

/* X(member): the numbers of PUC Lua's shape, in the order of tapsets/lua/lua.stpm. */
#define PUC_NUMBERS(X)                                                                             \
	X(minor)                                                                                   \
	X(status)                                                                                  \
	X(global)                                                                                  \
	X(ci)                                                                                      \
	X(base_ci)                                                                                 \
	X(levels)                                                                                  \
	X(mainthread)                                                                              \
	X(func)                                                                                    \
	X(previous)                                                                                \
	X(ci_size)                                                                                 \
	X(savedpc)                                                                                 \
	X(state_pc)                                                                                \
	X(callstatus)                                                                              \
	X(not_called)                                                                              \
	X(proto)                                                                                   \
	X(c_function)                                                                              \
	X(code)                                                                                    \
	X(constants)                                                                               \
	X(lineinfo)                                                                                \
	X(locvars)                                                                                 \
	X(upvalues)                                                                                \
	X(source)                                                                                  \
	X(linedefined)                                                                             \
	X(sizecode)                                                                                \
	X(sizelocvars)                                                                             \
	X(abslineinfo)                                                                             \
	X(sizeabslineinfo)                                                                         \
	X(upvalue_size)                                                                            \
	X(op.move)                                                                                 \
	X(op.loadnil)                                                                              \
	X(op.loadk)                                                                                \
	X(op.getupval)                                                                             \
	X(op.getglobal)                                                                            \
	X(op.gettabup)                                                                             \
	X(op.gettable)                                                                             \
	X(op.getfield)                                                                             \
	X(op.self)                                                                                 \
	X(op.jmp)                                                                                  \
	X(op.forloop)                                                                              \
	X(op.forprep)                                                                              \
	X(op.call)                                                                                 \
	X(op.tailcall)                                                                             \
	X(op.tforcall)                                                                             \
	X(op.sets[0])                                                                              \
	X(op.sets[1])

/*
 * Returns a noun phrase for the kind of Lua that the script does not walk, or NULL if it walks this
 * layout.
 */
const char *lua_values_unfit(const struct lua_layout *layout);

/* Adds the layout in PID, which the script walks. Returns false if there is no room. */
bool lua_values_add(struct vm_values *v, uint32_t pid, const struct lua_layout *layout);

#endif
