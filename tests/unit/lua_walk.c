/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/lua/lua_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Memory that begins with a thread, which is in the machine code of a trace. */
enum {
	THREAD = 0,
	GLOBAL = 0x100,
	CFRAME = 0x200,
	STACK = 0x300,
	TRACES = 0x400,
	SIZE = 0x1000,
	TYPE_THREAD = 6,
	DEPTH = 8,
};

static const uint64_t base = 0x550000000000;

static const struct lua_layout layout = {.kind = LUA_JIT,
	.jit = {.shape = {.refs = 8,
			.gct = 9,
			.frame_results = 8,
			.frame_thread = 0x10,
			.frame_pc = 0x18,
			.glref = 0x10,
			.base = 0x20,
			.maxstack = 0x30,
			.stack = 0x38,
			.cframe = 0x50,
			.vmstate = 0xb8,
			.jit_base = 0xd8,
			.traces = 0xe0,
			.nr_traces = 0xec,
			.snaps = 0x30,
			.code_size = 0x54,
			.code = 0x58},
		.has_traces = true}};

static uint64_t image[SIZE / 8];

static bool read_image(void *context, uint64_t address, void *to, size_t len)
{
	(void)context;
	if (address - base > SIZE || len > SIZE - (address - base))
		return false;
	memcpy(to, (char *)image + (address - base), len);
	return true;
}

static void put(uint64_t offset, uint64_t value)
{
	image[offset / 8] = value;
}

/* The thread runs in a trace that is not among the NR_TRACES traces, whose list does not begin with
 * one. */
static void put_thread(uint32_t nr_traces)
{
	memset(image, 0, sizeof(image));
	put(THREAD + 8, TYPE_THREAD << 8);
	put(THREAD + 0x10, base + GLOBAL);
	put(THREAD + 0x38, base + STACK);
	put(THREAD + 0x50, base + CFRAME);
	put(CFRAME + 0x10, base + THREAD);
	put(GLOBAL + 0xb8, 9999); /* a side trace was entered since then */
	put(GLOBAL + 0xd8, base + STACK + 0x40);
	put(GLOBAL + 0xe0, base + TRACES);
	put(GLOBAL + 0xe8, (uint64_t)nr_traces << 32);
}

/* The number of traces does not matter: mostly it is a power of two. */
static void test_unknown_trace(void **state)
{
	static const uint32_t numbers[] = {1, 3, 4, 7, 8, 64};
	const struct memory memory = {.read = read_image};
	const struct vm_native native = {
		.walked = true, .frame = base + CFRAME, .compiled = true, .pc = base + 0xf00};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		struct vm_frame frames[DEPTH];
		struct vm_stack stack = {.frames = frames, .max = DEPTH};

		put_thread(numbers[i]);
		lua_walk(&layout, &memory, &native, &stack);
		assert_int_equal(stack.nr, 1);
		assert_int_equal(lua_frame_type(frames[0].what), LUA_TRACE);
		assert_true(frames[0].what & LUA_COMPILED);
	}
}

static void check_name(const struct lua_texts *texts, uint64_t what, const char *want)
{
	struct strbuf name = STRBUF_INIT;

	assert_true(lua_texts_name(&layout, texts, what, &name));
	assert_string_equal(name.buf, want);
	strbuf_release(&name);
}

static void test_names(void **state)
{
	struct lua_texts texts = {.named = true, .how = LUA_FIELD, .first_line = 12};
	struct strbuf file = STRBUF_INIT;

	(void)state;
	texts.chunk_len = (uint32_t)strlen(strcpy(texts.chunk, "@/srv/shop.lua"));
	texts.name_len = (uint32_t)strlen(strcpy(texts.name, "total"));
	check_name(&texts, VM_WHAT(LUA_FUNCTION) | 0x1000, "shop:total");
	texts.how = LUA_UNNAMED;
	check_name(&texts, VM_WHAT(LUA_FUNCTION) | 0x1000, "shop.lua:12");
	check_name(&texts, VM_WHAT(LUA_TRACE) | 7, "[trace 7]");
	check_name(&texts, VM_WHAT(LUA_TRACE), "[trace]");

	/* one of LuaJIT's own functions, in bytecode */
	texts.how = LUA_FIELD;
	texts.first_line = UINT32_MAX;
	texts.chunk_len = (uint32_t)strlen(strcpy(texts.chunk, "remove"));
	check_name(&texts, VM_WHAT(LUA_FUNCTION) | 0x1000, "builtin:remove");
	assert_false(lua_texts_file(&texts, &file));
	assert_int_equal(lua_texts_first_line(&texts), 0);
}

/* Code that was not loaded from a file has the first line of its text. */
static void test_names_of_texts(void **state)
{
	static const struct {
		const char *text, *name;
	} list[] = {
		{"return 1", "[string \"return 1\"]"},
		{"", "[string \"\"]"},
		{"local n = ...\nreturn n", "[string \"local n = ......\"]"},
		{"\nreturn 1", "[string \"...\"]"},
		{"123456789012345678901234567890123456789012345",
			"[string \"123456789012345678901234567890123456789012345\"]"},
		{"1234567890123456789012345678901234567890123456",
			"[string \"123456789012345678901234567890123456789012345...\"]"},
		{"12345678901234567890123456789012345678901234\xc3\xa4",
			"[string \"12345678901234567890123456789012345678901234...\"]"},
	};
	struct lua_texts texts = {.named = true, .how = LUA_FIELD};
	struct strbuf want = STRBUF_INIT, file = STRBUF_INIT;

	(void)state;
	texts.name_len = (uint32_t)strlen(strcpy(texts.name, "f"));
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		texts.chunk_len = (uint32_t)strlen(strcpy(texts.chunk, list[i].text));
		strbuf_reset(&want);
		strbuf_addf(&want, "%s:f", list[i].name);
		check_name(&texts, VM_WHAT(LUA_FUNCTION) | 0x1000, want.buf);
		strbuf_reset(&file);
		assert_int_equal(lua_texts_file(&texts, &file), texts.chunk_len != 0);
		assert_string_equal(file.buf, texts.chunk_len ? list[i].name : "");
	}
	strbuf_release(&want);
	strbuf_release(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_trace),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_names_of_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
