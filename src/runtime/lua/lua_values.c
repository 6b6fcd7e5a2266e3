/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lua_values.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <inttypes.h>
#include <stdlib.h>

const char *lua_values_unfit(const struct lua_layout *l)
{
	return l->kind == LUA_PUC || l->jit.shape.refs == 8 ? NULL
							    : "LuaJIT with 32-bit references";
}

static size_t put_shape(struct vm_values *v, const struct luajit_layout *l)
{
	struct luajit_shape shape = l->shape;
	struct strbuf text = STRBUF_INIT;

	if (!l->has_traces)
		shape.traces = 0;
#define NUMBER(name) strbuf_addf(&text, "%s%x", text.len ? "." : "", shape.name);
	LUAJIT_SHAPE_ALL(NUMBER)
#undef NUMBER
	size_t number = vm_values_put(v, "lua_shapes", text.buf);

	strbuf_release(&text);
	return number;
}

static bool add_puc(struct vm_values *v, uint32_t pid, const struct puc_shape *shape)
{
	struct strbuf text = STRBUF_INIT;

#define NUMBER(name) strbuf_addf(&text, "%s%" PRIx64, text.len ? "." : "", (uint64_t)shape->name);
	PUC_NUMBERS(NUMBER)
#undef NUMBER
	size_t number = vm_values_put(v, "lua_puc_shapes", text.buf);

	strbuf_release(&text);
	return vm_values_put_process(v, "lua_puc_processes", pid, number);
}

bool lua_values_add(struct vm_values *v, uint32_t pid, const struct lua_layout *l)
{
	if (l->kind == LUA_PUC)
		return add_puc(v, pid, &l->puc.shape);
	size_t shape = put_shape(v, &l->jit);
	char *text = xasprintf("%" PRIx32 ".%zx.%" PRIx64, pid, shape, l->jit.state);
	bool added = shape && vm_values_put(v, "lua_processes", text);

	free(text);
	return added;
}
