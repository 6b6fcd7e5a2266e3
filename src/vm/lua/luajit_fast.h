/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VM_LUA_LUAJIT_FAST_H
#define VM_LUA_LUAJIT_FAST_H
#include <stddef.h>
struct luajit_fast;
static inline const char *luajit_fast_name(const struct luajit_fast *f, unsigned ffid)
{
	(void)f;
	(void)ffid;
	return NULL;
}
#endif
