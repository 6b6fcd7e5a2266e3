/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single steps of the walk over LuaJIT's stack. */
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* The memory of GG_State, from the global state on, and of the heap behind it. */
enum {
	GLOBAL = 0x10000,
	JIT_BASE = 0x200, /* offset; the bytecode of LuaJIT's own functions comes after it */
	OWN = GLOBAL + 0x800,
	HEAP = GLOBAL + 0x1000,
	END = GLOBAL + 0x8000,
};

static uint8_t image[END - GLOBAL];

#define VM_READ(w, to, size, at) ((void)(w), read_image(to, size, at))
#define LUA_SEARCH_NAME(w, s)
#define LUA_CACHED_TRACE(w, pc) NULL
#define PUC_SEARCH(w, s)
#define PUC_STEP(w, s) VM_INCONSISTENT

static int read_image(void *to, size_t size, uint64_t address)
{
	if (address < GLOBAL || address > END - size)
		return -1;
	memcpy(to, image + (address - GLOBAL), size);
	return 0;
}

#include "runtime/lua/lua_step.h"

static const struct luajit_shape shape = {.refs = 8, .jit_base = JIT_BASE};

/* Takes an inlined frame at PC, where OP is, whose function is no constant of the trace. */
static struct lua_walk take(uint64_t pc, uint8_t op)
{
	struct lua_walk w = {.global = GLOBAL, .pc = pc, .base = 16, .link = 64 | LUA_LINK_C};

	memset(image, 0, sizeof(image));
	image[pc - GLOBAL] = op;
	assert_int_equal(lua_take_variable(&w, &shape), VM_ON);
	return w;
}

/* Functions in Lua may be within the bytes that GG_State is known not to exceed. */
static void lua_step__code_behind_the_state(void **state)
{
	static const uint64_t places[] = {
		HEAP, GLOBAL + LUA_STATE_SIZE - 4, GLOBAL + LUA_STATE_SIZE};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		struct lua_walk w = take(places[i], LUA_OP_MOV);

		assert_false(w.vm.found);
		assert_int_equal(w.code, places[i]); /* its function is searched for */
	}
}

static void lua_step__functions_of_luajit(void **state)
{
	struct lua_walk w = take(OWN, LUA_OP_LAST + 1);

	(void)state;
	assert_true(w.vm.found);
	assert_int_equal(w.vm.frame.what, VM_WHAT(LUA_FAST) | LUA_COMPILED | LUA_WRAP);
	w = take(GLOBAL + 8, 0); /* a word that the iterator of gmatch() has for its pc */
	assert_true(w.vm.found);
	assert_int_equal(w.vm.frame.what, VM_WHAT(LUA_FAST) | LUA_COMPILED | LUA_GMATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lua_step__code_behind_the_state),
		cmocka_unit_test(lua_step__functions_of_luajit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
