/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process with states of LuaJIT 2.1 (GC64), for programs that examine one process. */
#ifndef INSPECT_LUAJIT_PROCESS_H
#define INSPECT_LUAJIT_PROCESS_H

#include "runtime/lua/lua_layout.h"
#include "runtime/lua/luajit_states.h"
#include "process/process.h"
#include "process/target.h"

struct strbuf;

struct luajit_process {
	struct processes ps;
	const struct process *process;
	struct target target;
	struct luajit_layout layout;
	struct luajit_states states; /* only states of GC64 */
};

/*
 * Finds the states of process PID. Returns -1 with a message for the user in ERR if there are none
 * or they cannot be read. The caller closes P in any case, and must not move it until then.
 */
int luajit_process_open(struct luajit_process *p, uint32_t pid, struct strbuf *err);
void luajit_process_close(struct luajit_process *p);

#endif
