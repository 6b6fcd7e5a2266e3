/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LuaJIT 2.1 (GC64) in a process: its states, and the layout of its structures. x86-64. */
#ifndef VM_LUA_LUAJIT_FIND_H
#define VM_LUA_LUAJIT_FIND_H

#include "lua_layout.h"
#include "process/target.h"

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

/* Appends "LuaJIT 2.1.0-beta3 in '/usr/bin/luajit' of process 1302, upstream, 1 state". */
void luajit_describe(
	const struct luajit_layout *l, const char *path, uint32_t pid, struct strbuf *out);

#endif
