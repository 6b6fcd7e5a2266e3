/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "luajit_fast.h"
#include "runtime/definitions.h"
#include "runtime/vm_walk.h"

#include <inttypes.h>
#include <string.h>

enum { SOURCE_MAX = 45 }; /* bytes of a source text in names */

#define LUA_SEARCH_NAME(w, s) search_name(w, s)
#define PUC_SEARCH(w, s) puc_search(w, s)
#define PUC_STEP(w, s) puc_step(w, s)
#define LUA_CACHED_TRACE(w, pc) NULL

static void search_name(struct lua_walk *w, const struct luajit_shape *s);
static void puc_search(struct lua_walk *w, const struct puc_shape *s);

#include "lua_step.h"
#include "lua_text.h"

static void search_name(struct lua_walk *w, const struct luajit_shape *s)
{
	for (int i = 0; i < LUA_SEARCH_STEPS; i++)
		if (lua_search_step(w, s))
			break;
}

static void puc_search(struct lua_walk *w, const struct puc_shape *s)
{
	for (int i = 0; i < LUA_SEARCH_STEPS; i++)
		if (puc_search_step(w, s))
			break;
}

static int step(struct vm_walk *w, const void *layout)
{
	return lua_step((struct lua_walk *)w, layout);
}

enum vm_end lua_walk(const struct lua_layout *l, const struct memory *memory,
	const struct vm_native *native, struct vm_stack *stack)
{
	struct lua_walk w = {.vm = {.mixed = stack->mixed,
				     .with_op = stack->with_op,
				     .native = *native,
				     .memory = memory}};

	return vm_walk_run(&w.vm, lua_begin(&w, l), step, l, stack);
}

void lua_frame_texts(const struct lua_layout *l, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *texts)
{
	struct lua_walk w = {.vm.memory = memory};

	lua_read_texts(&w, l, frame, below, texts);
}

/* ---- names ---- */

static bool has_file(const struct lua_texts *t)
{
	return t->chunk_len && (*t->chunk == '@' || *t->chunk == '=');
}

/* Appends the first line of a source text, shortened as lj_debug_shortname() does. */
static void add_source(const struct lua_texts *t, struct strbuf *out)
{
	size_t len = 0;

	while (len < t->chunk_len && len < SOURCE_MAX && (unsigned char)t->chunk[len] >= ' ')
		len++;
	while (len && len < t->chunk_len && (t->chunk[len] & 0xc0) == 0x80) /* within a character */
		len--;
	strbuf_adds(out, "[string \"");
	strbuf_add(out, t->chunk, len);
	strbuf_adds(out, len < t->chunk_len ? "...\"]" : "\"]");
}

/* Appends the chunk's name and a colon. The name of a file loses its folder and SUFFIX. */
static void add_base(const struct lua_texts *t, const char *suffix, struct strbuf *out)
{
	const char *name = t->chunk + 1, *slash;
	size_t len = t->chunk_len - 1, end = strlen(suffix);

	if (!has_file(t)) {
		add_source(t, out);
		strbuf_addch(out, ':');
		return;
	}
	slash = *t->chunk == '@' ? memrchr(name, '/', len) : NULL;
	if (slash) {
		len -= (size_t)(slash + 1 - name);
		name = slash + 1;
	}
	if (len > end && !memcmp(name + len - end, suffix, end))
		len -= end;
	strbuf_add(out, name, len);
	strbuf_addch(out, ':');
}

static bool is_named(const struct lua_texts *t)
{
	return t->how != LUA_UNNAMED && t->how != LUA_META;
}

/*
 * Returns whether this is one of LuaJIT's own functions in bytecode, such as table.remove. Their
 * chunk has the function's name, and they have no lines.
 */
static bool is_builtin(const struct lua_texts *t)
{
	return t->first_line == UINT32_MAX;
}

static void add_function(const struct lua_texts *t, struct strbuf *out)
{
	if (is_builtin(t)) {
		strbuf_adds(out, "builtin:");
		strbuf_add(out, t->chunk, t->chunk_len);
	} else if (t->is_main) {
		add_base(t, ".lua", out);
		strbuf_adds(out, "main chunk");
	} else if (is_named(t)) {
		add_base(t, ".lua", out);
		strbuf_add(out, t->name, t->name_len);
	} else {
		add_base(t, "", out);
		strbuf_addf(out, "%" PRIu32, t->first_line);
	}
}

/* Returns the name of LuaJIT's own function NUMBER, or NULL if it is not known. */
static const char *fast_name(const struct lua_layout *l, unsigned number)
{
	switch (number) {
	case LUA_GMATCH:
		return "string.gmatch_aux";
	case LUA_WRAP:
		return "coroutine.wrap_aux";
	default:
		return l->kind == LUA_PUC ? NULL : luajit_fast_name(l->jit.fast, number);
	}
}

bool lua_texts_name(
	const struct lua_layout *l, const struct lua_texts *t, uint64_t what, struct strbuf *out)
{
	const char *fast;

	if (!t->named)
		return false;
	switch (lua_frame_type(what)) {
	case LUA_FUNCTION:
		add_function(t, out);
		break;
	case LUA_FAST:
		fast = fast_name(l, (unsigned)(what & VM_ADDRESS));
		if (fast)
			strbuf_adds(out, fast);
		else if (t->name_len)
			strbuf_add(out, t->name, t->name_len);
		else
			strbuf_addf(out, "builtin#%u", (unsigned)(what & VM_ADDRESS));
		break;
	case LUA_TRACE:
		if (what & VM_ADDRESS)
			strbuf_addf(out, "[trace %u]", (unsigned)(what & VM_ADDRESS));
		else
			strbuf_adds(out, "[trace]");
		break;
	default:
		return false;
	}
	return true;
}

bool lua_texts_file(const struct lua_texts *t, struct strbuf *file)
{
	if (!t->chunk_len || is_builtin(t))
		return false;
	if (has_file(t))
		strbuf_add(file, t->chunk + 1, t->chunk_len - 1);
	else
		add_source(t, file);
	return true;
}

uint32_t lua_texts_first_line(const struct lua_texts *t)
{
	return is_named(t) && !is_builtin(t) ? t->first_line : 0;
}

bool lua_texts_path(const struct lua_texts *t, struct strbuf *path)
{
	if (!t->named || t->is_main || is_builtin(t) || t->chunk_len < 2 || *t->chunk != '@' ||
		t->chunk_len >= LUA_TEXT_MAX)
		return false;
	strbuf_add(path, t->chunk + 1, t->chunk_len - 1);
	return true;
}

void lua_texts_define(struct lua_texts *t, const struct definitions *list)
{
	char called[LUA_NAME_MAX + 1];

	memcpy(called, t->name, t->name_len < LUA_NAME_MAX ? t->name_len : LUA_NAME_MAX);
	called[t->name_len < LUA_NAME_MAX ? t->name_len : LUA_NAME_MAX] = '\0';
	const char *name = definitions_find(list, t->first_line, is_named(t) ? called : NULL);

	if (!name)
		return;
	t->name_len = (uint32_t)strnlen(name, LUA_NAME_MAX);
	memcpy(t->name, name, t->name_len);
	t->how = t->name_len ? LUA_FIELD : LUA_UNNAMED;
}
