/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk over Lua's stacks in user space (for its steps see lua_step.h), and names of frames. */
#ifndef VM_LUA_LUA_WALK_H
#define VM_LUA_LUA_WALK_H

#include "lua_frame.h"
#include "lua_layout.h"
#include "process/target.h"
#include "vm/vm.h"

struct strbuf;

/* Walks the stack that NATIVE tells of. */
enum vm_end lua_walk(const struct lua_layout *layout, const struct memory *memory,
	const struct vm_native *native, struct vm_stack *stack);

/* As vm->read_texts. */
void lua_frame_texts(const struct lua_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *texts);

/*
 * Appends the name of a frame with that what: "module:function", by the name in the caller's
 * bytecode; "file.lua:12" of a function without name, with its first line; "module:main chunk"; a
 * function of LuaJIT itself as "string.gsub". False: it could not be read.
 */
bool lua_texts_name(const struct lua_layout *layout, const struct lua_texts *texts, uint64_t what,
	struct strbuf *name);

/* Appends the name of its source. False: there is none, or it could not be read. */
bool lua_texts_file(const struct lua_texts *texts, struct strbuf *file);

/* The line that a function begins at whose name is that in its caller; else 0. */
uint32_t lua_texts_first_line(const struct lua_texts *texts);

#endif
