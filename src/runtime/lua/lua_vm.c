/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lua's row in the table of interpreters. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lua_operators.h"
#include "lua_source.h"
#include "lua_splice.h"
#include "lua_values.h"
#include "lua_walk.h"
#include "luajit_find.h"
#include "puc_find.h"
#include "puc_library.h"

#include <string.h>

static int find(const struct target *t, const struct vm_layout *like, struct vm_layout *layout,
	struct strbuf *err)
{
	const struct target_file *file = luajit_file(t);
	const bool is_jit = file;

	if (!file)
		file = puc_file(t);
	*layout = (struct vm_layout){.kind = VM_LUA, .path = file ? file->path : NULL};
	layout->lua.kind = is_jit ? LUA_JIT : LUA_PUC;
	if (!is_jit)
		return puc_find(t, &layout->lua.puc, err);
	if (like && like->lua.kind != LUA_JIT)
		like = NULL;
	return luajit_find(t, like ? &like->lua.jit : NULL, &layout->lua.jit, err);
}

static void describe(const struct vm_layout *layout, uint32_t pid, struct strbuf *out)
{
	if (layout->lua.kind == LUA_PUC) {
		puc_describe(&layout->lua.puc, layout->path, pid, out);
		return;
	}
	luajit_describe(&layout->lua.jit, layout->path, pid, out);
}

static bool add_values(struct vm_values *values, uint32_t pid, const struct vm_layout *layout)
{
	return lua_values_add(values, pid, &layout->lua);
}

static const char *unfit_for_script(const struct vm_layout *layout)
{
	return lua_values_unfit(&layout->lua);
}

/* Names LuaJIT's own functions, which the script does not know. */
static bool name_by_script(
	const struct vm_layout *layout, const struct vm_printed *frame, struct strbuf *out)
{
	struct lua_texts texts = {.named = true};

	if (lua_frame_type(frame->what) != LUA_FAST)
		return false;
	texts.name_len = (uint32_t)strnlen(frame->name, LUA_NAME_MAX);
	memcpy(texts.name, frame->name, texts.name_len);
	return lua_texts_name(&layout->lua, &texts, frame->what, out);
}

/* Walks without the native stack, by the state, if the state has a frame in this thread's stack. */
static enum vm_end walk(const struct vm_layout *layout, const struct memory *memory,
	uint64_t thread, uint64_t sp, struct vm_stack *stack)
{
	const struct vm_native native = {.sp = sp};

	(void)thread;
	return lua_walk(&layout->lua, memory, &native, stack);
}

static void read_texts(const struct vm_layout *layout, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, union vm_texts *texts)
{
	lua_frame_texts(&layout->lua, memory, frame, below, &texts->lua);
}

static const char *operator_name(const struct vm_layout *layout, uint32_t number)
{
	return lua_operator_name(&layout->lua, number);
}

static bool add_name(const struct vm_layout *layout, const union vm_texts *texts, uint64_t what,
	struct strbuf *name)
{
	return lua_texts_name(&layout->lua, &texts->lua, what, name);
}

static bool add_place(const union vm_texts *texts, struct strbuf *file, uint32_t *line)
{
	*line = texts->lua.line;
	return lua_texts_file(&texts->lua, file);
}

static const char *code_name(const struct vm_layout *layout, uint64_t address)
{
	const struct puc_layout *l = &layout->lua.puc;

	return layout->lua.kind == LUA_PUC ? puc_library_name(l->functions, address - l->bias)
					   : NULL;
}

static uint32_t first_line(const union vm_texts *texts)
{
	return lua_texts_first_line(&texts->lua);
}

static bool add_path(const union vm_texts *texts, struct strbuf *path)
{
	return lua_texts_path(&texts->lua, path);
}

static void define(const struct definitions *list, union vm_texts *texts)
{
	lua_texts_define(&texts->lua, list);
}

static const struct vm_source source = {add_path, lua_source_list, define};

static const char *const states[LUA_NR_STATES + 1] = {
#define STATE(name, text) [LUA_STATE_##name] = (text),
	LUA_STATES(STATE)
#undef STATE
};

const struct vm lua_vm = {
	.language = &languages[LANGUAGE_LUA],
	.kind = VM_LUA,
	.code = LUA_C,
	.by_native = true,
	.compiled = LUA_COMPILED,
	.states = states,
	.symbol = "lua_newstate",
	.find = find,
	.describe = describe,
	.add_values = add_values,
	.unfit_for_script = unfit_for_script,
	.alone_in_script = true,
	.name_by_script = name_by_script,
	.walk = walk,
	.read_texts = read_texts,
	.operator_name = operator_name,
	.add_name = add_name,
	.add_place = add_place,
	.first_line = first_line,
	.source = &source,
	.code_name = code_name,
	.splice = &lua_splice,
	.maps = {{"lua_trace_cache", LUA_TRACE_CACHE_SIZE}},
};
