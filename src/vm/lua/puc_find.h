/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PUC Lua 5.1, 5.3 and 5.4 in a process: its version, and so the layout of its structures. */
#ifndef VM_LUA_PUC_FIND_H
#define VM_LUA_PUC_FIND_H

#include "lua_layout.h"
#include "process/target.h"

struct strbuf;

/* The file of T that has PUC Lua; NULL: none has. */
const struct target_file *puc_file(const struct target *t);

/*
 * Finds PUC Lua in T. 1: there is none; -1 and ERR: there is, but it is of a version that is not
 * known, or its memory cannot be read.
 */
int puc_find(const struct target *t, struct puc_layout *layout, struct strbuf *err);

/* Appends "Lua 5.4.4 in '/usr/bin/lua5.4' of process 1302". */
void puc_describe(
	const struct puc_layout *layout, const char *path, uint32_t pid, struct strbuf *out);

#endif
