/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_walk.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "luajit_fast.h"

#include <inttypes.h>
#include <string.h>

enum { CHUNK = 64 }; /* bytes of a string that are read at once */

/* A walk and the target's memory. */
struct lua_user_walk {
	struct lua_walk walk;
	const struct memory *memory;
};

static int read_target(struct lua_walk *w, void *to, uint32_t size, uint64_t address)
{
	struct lua_user_walk *u = (struct lua_user_walk *)w;

	return memory_read(u->memory, address, to, size) ? 0 : -1;
}

/* Reads do not cross the end of a page before the NUL. */
static int read_string(struct lua_walk *w, char *to, uint32_t size, uint64_t address)
{
	for (uint32_t len = 0, n; len < size; len += n, address += n) {
		n = CHUNK - address % CHUNK;
		if (n > size - len)
			n = size - len;
		if (read_target(w, to + len, n, address))
			return -1;
		const char *end = memchr(to + len, '\0', n);

		if (end)
			return (int)(end - to);
	}
	return (int)size - 1;
}

#define LUA_READ(w, to, size, at) read_target(w, to, size, at)
#define LUA_READ_STRING(w, to, size, at) read_string(w, to, size, at)
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

enum vm_end lua_walk(const struct lua_layout *l, const struct memory *memory,
	const struct vm_native *native, struct vm_stack *stack)
{
	struct lua_user_walk u = {
		.walk.vm = {.mixed = stack->mixed, .native = *native}, .memory = memory};
	struct lua_walk *w = &u.walk;
	int end = lua_begin(w, l);

	stack->nr = 0;
	for (int steps = 0; steps < VM_STEPS_MAX; steps++) {
		if (w->vm.found && stack->nr == stack->max)
			return VM_CUT;
		if (w->vm.found)
			stack->frames[stack->nr++] = w->vm.frame;
		if (end != VM_ON)
			return (enum vm_end)end;
		end = lua_step(w, l);
	}
	return VM_CUT;
}

void lua_frame_texts(const struct lua_layout *l, const struct memory *memory,
	const struct vm_frame *frame, const struct vm_frame *below, struct lua_texts *texts)
{
	struct lua_user_walk u = {.memory = memory};

	lua_read_texts(&u.walk, l, frame, below, texts);
}

/* ---- names ---- */

/* The chunk's name without '@' or '=' and, of a file, without its folder; or "[string]". */
static const char *base_name(const struct lua_texts *t, int *len)
{
	const char *name = t->chunk, *slash;

	*len = (int)t->chunk_len;
	if (*len && (*name == '@' || *name == '=')) {
		name++;
		--*len;
	} else {
		name = "[string]";
		*len = (int)strlen(name);
	}
	slash = *t->chunk == '@' ? memrchr(name, '/', (size_t)*len) : NULL;
	if (slash) {
		*len -= (int)(slash + 1 - name);
		name = slash + 1;
	}
	return name;
}

static void add_module(const struct lua_texts *t, struct strbuf *out)
{
	int len;
	const char *name = base_name(t, &len);

	if (len > 4 && !memcmp(name + len - 4, ".lua", 4))
		len -= 4;
	strbuf_add(out, name, (size_t)len);
	strbuf_addch(out, ':');
}

static bool is_named(const struct lua_texts *t)
{
	return t->how != LUA_UNNAMED && t->how != LUA_META;
}

/* One of LuaJIT's own functions in bytecode, as table.remove: its chunk has its name, no lines. */
static bool is_builtin(const struct lua_texts *t)
{
	return t->first_line == UINT32_MAX;
}

static void add_function(const struct lua_texts *t, struct strbuf *out)
{
	int len;
	const char *name = base_name(t, &len);

	if (is_builtin(t)) {
		strbuf_adds(out, "builtin:");
		strbuf_add(out, t->chunk, t->chunk_len);
	} else if (t->is_main) {
		add_module(t, out);
		strbuf_adds(out, "main chunk");
	} else if (is_named(t)) {
		add_module(t, out);
		strbuf_add(out, t->name, t->name_len);
	} else {
		strbuf_add(out, name, (size_t)len);
		strbuf_addf(out, ":%" PRIu32, t->first_line);
	}
}

/* Of LuaJIT's own function with that number; NULL: not known. */
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
	if (*t->chunk == '@' || *t->chunk == '=')
		strbuf_add(file, t->chunk + 1, t->chunk_len - 1);
	else
		strbuf_adds(file, "[string]");
	return true;
}

uint32_t lua_texts_first_line(const struct lua_texts *t)
{
	return is_named(t) && !is_builtin(t) ? t->first_line : 0;
}
