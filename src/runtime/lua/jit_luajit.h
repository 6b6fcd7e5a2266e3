/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT's traces describe their frames themselves, see unwind/luajit_step.h. */
#ifndef RUNTIME_LUA_JIT_LUAJIT_H
#define RUNTIME_LUA_JIT_LUAJIT_H

#include "runtime/jit_find.h"

enum facet_state jit_luajit_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout);

#endif
