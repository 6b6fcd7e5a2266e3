/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merged stacks; each frame is a letter, outermost first. Frames of C: l the interpreter, r
 * lua_resume, p another function of PUC Lua's file, x a function of any other file. Frames of Lua:
 * F a function, R a function that began a run of PUC Lua's interpreter, S a function that C called
 * in LuaJIT, N a C function with a name, C a C function without a name; T is between two threads.
 * In the merged stack frames of Lua have the same letters; "!" means inconsistent.
 */
#include "lib/util.h"
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elffile.h"
#include "runtime/lua/lua_frame.h"
#include "runtime/lua/lua_splice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

enum { MAX = 64 };

static unsigned role_of(char c)
{
	switch (c) {
	case 'l':
		return SPLICE_LOOP;
	case 'r':
		return LUA_ROLE_RESUME;
	case 'p':
		return SPLICE_INSIDE;
	default:
		return SPLICE_ELSEWHERE;
	}
}

static uint64_t what_of(char c)
{
	switch (c) {
	case 'F':
		return VM_WHAT(LUA_FUNCTION);
	case 'R':
		return VM_WHAT(LUA_FUNCTION) | LUA_RUN;
	case 'S':
		return VM_WHAT(LUA_FUNCTION) | LUA_FROM_C;
	case 'N':
		return VM_WHAT(LUA_C);
	case 'T':
		return VM_WHAT(LUA_SEGMENT);
	default:
		return 0;
	}
}

static void expect(const char *c, const char *lua, enum vm_end end, const char *want)
{
	struct splice_native native[MAX];
	struct splice_frame frames[MAX];
	uint32_t ids[2 * MAX + 1];
	char text[2 * MAX + 1];
	struct splice s = {.rules = &lua_splice,
		.native = native,
		.nr_native = strlen(c),
		.whole = true,
		.frames = frames,
		.nr_frames = strlen(lua),
		.end = end,
		.inconsistent = '!'};
	bool consistent;

	for (size_t i = 0; i < s.nr_native; i++)
		native[s.nr_native - 1 - i] = (struct splice_native){(uint32_t)c[i], role_of(c[i])};
	for (size_t i = 0; i < s.nr_frames; i++)
		frames[s.nr_frames - 1 - i] =
			(struct splice_frame){what_of(lua[i]), (uint32_t)lua[i]};
	size_t nr = splice_stacks(&s, ids, &consistent);

	for (size_t i = 0; i < nr; i++)
		text[i] = (char)ids[nr - 1 - i];
	text[nr] = '\0';
	assert_int_equal(consistent, !strchr(text, '!'));
	assert_string_equal(text, want);
}

static void splice__runs_in_place_of_the_interpreter(void **state)
{
	(void)state;
	expect("xppl", "CR", VM_WHOLE, "xppR");
	expect("xppl", "CRFF", VM_WHOLE, "xppRFF");
	expect("xpplpp", "CRF", VM_WHOLE, "xppRFpp");
	expect("xpplppxpl", "CRFNR", VM_WHOLE, "xppRFNppxpR");  /* a library function calls back */
	expect("xpplppxpl", "CRFCRF", VM_WHOLE, "xppRFppxpRF"); /* another one */
	expect("xpplppl", "CRR", VM_WHOLE, "xppRppR");          /* a metamethod */
	expect("xppxp", "C", VM_WHOLE, "xppxp");                /* only C functions */
}

static void splice__coroutines(void **state)
{
	(void)state;
	expect("xpplprpl", "CRNTRF", VM_WHOLE, "xppRNprpRF");
	expect("xrpl", "RF", VM_WHOLE, "xrpRF"); /* C has resumed it */
	/* it has yielded below pcall: two functions began runs, and one of them is left */
	expect("xpplprpl", "CRNTRFNRF", VM_WHOLE, "xppRNprpRFNRF");
	expect("xpplprplppl", "CRNTRNRNR", VM_WHOLE, "xppRNprpRNRNppR");
	expect("xpplprplprpl", "CRNTRRNTR", VM_WHOLE, "xppRNprpRRNprpR");
	/* coroutines of C functions */
	expect("xpplprpx", "CRNTC", VM_WHOLE, "xppRNprpx");
	expect("xpplprpxrpl", "CRNTCTR", VM_WHOLE, "xppRNprpxrpR");
	/* C calls a function in a thread of its own */
	expect("xpplpxppl", "CRTR", VM_WHOLE, "xppRpxppR");
}

static void splice__inconsistent(void **state)
{
	(void)state;
	expect("xppl", "CRR", VM_WHOLE, "xppl!");
	expect("xpplppl", "CRF", VM_WHOLE, "xppl!ppl");
	expect("xpp", "CRF", VM_WHOLE, "!xpp");
	expect("xxx", "CRF", VM_WHOLE, "!xxx");
	expect("xpplprpl", "CRNRF", VM_WHOLE, "xppl!prpl");      /* the coroutine is not in both */
	expect("xpplprpxpl", "CRNTRR", VM_WHOLE, "xppl!prpxpl"); /* C is in between */
	expect("xpplprppppl", "CRNTRR", VM_WHOLE, "xppl!prppppl");
	expect("xppl", "", VM_INCONSISTENT, "xppl!");
}

static void splice__cut_stacks(void **state)
{
	(void)state;
	expect("xpplpplppl", "FRR", VM_CUT, "xppFppRppR");
	expect("xpplpplppl", "FR", VM_CUT, "xpplppFppR");
}

/*
 * A coroutine's frame of the interpreter is right above the frame of the function that resumed it.
 */
static void splice__luajit(void **state)
{
	(void)state;
	expect("xxl", "SF", VM_WHOLE, "xxSF");
	expect("xxlxxl", "SFSF", VM_WHOLE, "xxSFxxSF");
	expect("xxll", "SFSF", VM_WHOLE, "xxSFSF");
	expect("xxlxxl", "SF", VM_WHOLE, "xxSFxxl");
	expect("xxx", "SF", VM_WHOLE, "!xxx");
}

/* In each version of Lua that is installed. */
static void find_code__the_interpreter(void **state)
{
	static const char *const files[] = {"/usr/bin/lua5.1", "/usr/bin/lua5.2", "/usr/bin/lua5.3",
		"/usr/bin/lua5.4", "/usr/bin/lua5.5"};
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct elffile *elf = elffile_open(files[i], NULL);
		struct splice_code code;
		struct elf_variable at;

		if (!elf)
			continue;
		found++;
		lua_splice.find_code(&code, elf);
		assert_int_equal(code.nr, 2);
		assert_int_equal(splice_code_role(&code, code.ranges[0].start), SPLICE_LOOP);
		assert_true(elffacts_variable(elf, "lua_resume", &at));
		assert_int_equal(splice_code_role(&code, at.address), LUA_ROLE_RESUME);
		elffile_close(elf);
	}
	if (!found)
		skip();
}

static void find_code__not_in_other_files(void **state)
{
	static const char *const files[] = {"/proc/self/exe", "/usr/bin/luajit", "/bin/sh"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct elffile *elf = elffile_open(files[i], NULL);
		struct splice_code code;

		if (!elf)
			continue;
		lua_splice.find_code(&code, elf);
		assert_int_equal(code.nr, 0);
		elffile_close(elf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splice__runs_in_place_of_the_interpreter),
		cmocka_unit_test(splice__coroutines),
		cmocka_unit_test(splice__inconsistent),
		cmocka_unit_test(splice__cut_stacks),
		cmocka_unit_test(splice__luajit),
		cmocka_unit_test(find_code__the_interpreter),
		cmocka_unit_test(find_code__not_in_other_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
