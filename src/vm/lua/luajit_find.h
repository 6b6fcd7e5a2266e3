/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT 2.1 (GC64) in a process: its states, and the layout of its structures. x86-64. */
#ifndef VM_LUA_LUAJIT_FIND_H
#define VM_LUA_LUAJIT_FIND_H

#include "lua_layout.h"
#include "vm/target.h"

struct strbuf;

/* A symbol that every LuaJIT exports, and no other program. */
#define LUAJIT_SYMBOL "luaJIT_setmode"

/* The file of T that has LuaJIT; NULL: none has. */
const struct target_file *luajit_file(const struct target *t);

/*
 * Finds LuaJIT in T. LIKE is a layout found earlier in the same file, NULL: none; one that was
 * found in the same process saves searching its memory again. What is not known while there is no
 * state yet is 0. 1: there is no LuaJIT; -1 and ERR: there is, but its memory cannot be read.
 */
int luajit_find(const struct target *t, const struct luajit_layout *like,
	struct luajit_layout *layout, struct strbuf *err);

/*
 * Completes L, the offsets that differ between builds, by what is at them in the state GLOBAL.
 * False: that is not initialised.
 */
bool luajit_learn(const struct memory *m, uint64_t global, struct luajit_layout *l);

#endif
