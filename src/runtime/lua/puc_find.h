/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds PUC Lua 5.1 to 5.5 in a process. Its version determines the layout of structures. */
#ifndef RUNTIME_LUA_PUC_FIND_H
#define RUNTIME_LUA_PUC_FIND_H

#include "lua_layout.h"
#include "process/target.h"

struct strbuf;

/* Returns the file of T that contains PUC Lua, or NULL if there is none. */
const struct target_file *puc_file(const struct target *t);

/*
 * Finds PUC Lua in T. Returns 1 if there is none, and -1 with ERR if its version is not supported
 * or its memory cannot be read.
 */
int puc_find(const struct target *t, struct puc_layout *layout, struct strbuf *err);

/* Appends "Lua 5.4.4 in '/usr/bin/lua5.4' of process 1302". */
void puc_describe(
	const struct puc_layout *layout, const char *path, uint32_t pid, struct strbuf *out);

#endif
