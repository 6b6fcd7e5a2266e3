/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that a source file of Lua defines, with the names of the variables and fields that
 * they are stored in.
 */
#ifndef RUNTIME_LUA_LUA_SOURCE_H
#define RUNTIME_LUA_LUA_SOURCE_H

#include <stddef.h>

struct definitions;

/* Adds the functions in TEXT, which need not be Lua. */
void lua_source_list(const char *text, size_t len, struct definitions *list);

#endif
