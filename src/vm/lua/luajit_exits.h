/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where LuaJIT's traces are left in a process, and where they start. */
#ifndef VM_LUA_LUAJIT_EXITS_H
#define VM_LUA_LUAJIT_EXITS_H

#include "luajit_process.h"

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* lj_vm_exit_handler: each exit of a trace jumps there; r14 refers to the dispatch table. */
struct luajit_exit_handler {
	uint64_t start, end; /* of the mapping in which it is */
	uint64_t offset;     /* of its first instruction in the file */
	int32_t vmstate;     /* where that is from what r14 refers to */
};

/* Finds it by its instructions, which are the same in all builds. False: there is none. */
bool luajit_exit_handler_find(const struct luajit_process *p, struct luajit_exit_handler *handler);

/*
 * Appends "file.lua:12", the place of the function PROTO, and sets the line of its bytecode PC, 0:
 * not known. False: it cannot be read.
 */
bool luajit_trace_place(const struct luajit_process *p, uint64_t proto, uint64_t pc,
	struct strbuf *function, uint32_t *line);

/* As in jit.util.traceinfo(): "loop", "stitch"; "": not a kind of link. */
const char *luajit_link_name(unsigned link_type);

#endif
