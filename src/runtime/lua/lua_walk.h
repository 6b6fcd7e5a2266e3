/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks Lua's stacks in user space, with the steps of lua_step.h, and names their frames. */
#ifndef RUNTIME_LUA_LUA_WALK_H
#define RUNTIME_LUA_LUA_WALK_H

#include "lua_frame.h"
#include "lua_layout.h"
#include "process/target.h"
#include "runtime/vm.h"

struct definitions;
struct strbuf;

/* Walks the Lua stack of the thread whose native stack NATIVE describes. */
enum vm_end lua_walk(const struct lua_layout *layout, const struct memory *memory,
	const struct vm_native *native, struct vm_stack *stack);

/* Reads the texts of FRAME, as the read_texts of struct vm. */
void lua_frame_texts(const struct lua_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *texts);

/*
 * Appends the name of a frame with this what. It is one of
 *
 * module:function	with its name in the source file, or else in the caller's bytecode
 * file.lua:12		for a function without a name, with its first line
 * module:main chunk
 * string.gsub		for a function of LuaJIT itself
 *
 * Returns false if it could not be read.
 */
bool lua_texts_name(const struct lua_layout *layout, const struct lua_texts *texts, uint64_t what,
	struct strbuf *name);

/* Appends the name of the source. Returns false if there is none or it could not be read. */
bool lua_texts_file(const struct lua_texts *texts, struct strbuf *file);

/* Appends the path of the file with the source. Returns false if the source is not in a file. */
bool lua_texts_path(const struct lua_texts *texts, struct strbuf *path);

/* Replaces the name at the caller by the name in LIST, the functions in the file, if it is known.
 */
void lua_texts_define(struct lua_texts *texts, const struct definitions *list);

/* Returns the first line of a function that has a name, or 0 for others. */
uint32_t lua_texts_first_line(const struct lua_texts *texts);

#endif
