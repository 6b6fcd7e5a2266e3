/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places where LuaJIT's traces are left in a process, and where they start. */
#ifndef INSPECT_LUAJIT_EXITS_H
#define INSPECT_LUAJIT_EXITS_H

#include "luajit_process.h"

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

/* lj_vm_exit_handler, to which each exit of a trace jumps with r14 at the dispatch table. */
struct luajit_exit_handler {
	uint64_t start, end; /* of the mapping that contains it */
	uint64_t offset;     /* of its first instruction in the file */
	int32_t vmstate;     /* offset of vmstate from the address in r14 */
};

/*
 * Finds the exit handler by its instructions, which are the same in all builds. Returns false if
 * there is none.
 */
bool luajit_exit_handler_find(const struct luajit_process *p, struct luajit_exit_handler *handler);

/*
 * Appends "file.lua:12", the place of the function PROTO, and sets *LINE to the line of its
 * bytecode PC, or to 0 if that is not known. Returns false if the function cannot be read.
 */
bool luajit_trace_place(const struct luajit_process *p, uint64_t proto, uint64_t pc,
	struct strbuf *function, uint32_t *line);

/*
 * Returns the kind of link as jit.util.traceinfo() does, such as "loop" or "stitch", or "" if there
 * is no such kind.
 */
const char *luajit_link_name(unsigned link_type);

#endif
