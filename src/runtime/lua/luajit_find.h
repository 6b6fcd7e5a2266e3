/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds LuaJIT in a process: its states, and the layout of its structures on x86-64. */
#ifndef RUNTIME_LUA_LUAJIT_FIND_H
#define RUNTIME_LUA_LUAJIT_FIND_H

#include "lua_layout.h"
#include "process/target.h"

struct strbuf;

/* A symbol that every LuaJIT exports, and that no other program has. */
#define LUAJIT_SYMBOL "luaJIT_setmode"

/* Returns the file of T that contains LuaJIT, or NULL if there is none. */
const struct target_file *luajit_file(const struct target *t);

/*
 * Finds LuaJIT in T. LIKE is a layout that was found earlier in the same file, or NULL; a layout
 * that was found in the same process saves searching its memory again. Members that cannot be known
 * before there is a state are 0. Returns 1 if there is no LuaJIT, and -1 with ERR if there is one
 * but its memory cannot be read.
 */
int luajit_find(const struct target *t, const struct luajit_layout *like,
	struct luajit_layout *layout, struct strbuf *err);

/* Appends "LuaJIT 2.1.0-beta3 in '/usr/bin/luajit' of process 1302, upstream, 1 state". */
void luajit_describe(
	const struct luajit_layout *l, const char *path, uint32_t pid, struct strbuf *out);

#endif
