/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds Go's functions that continue on another stack, from their code. */
#include "runtime/go/go_switch.h"
#include "runtime/go/go_rule.h"
#include "runtime/native_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* clang-format off */

enum { START = 0x401000, DEPTH = 24 };

static const struct unwind_rule none;

/* Finds the switches in CODE, of a function whose rsp is DEPTH below the return address. */
static size_t find(const char *name, const unsigned char *code, size_t size,
	const struct unwind_rule *systemstack, struct go_switch list[GO_SWITCHES])
{
	const unsigned char depths[] = {2 * (DEPTH + 1), (unsigned char)size, 0};
	const struct go_function f = {.start = START,
		.code = {.at = code, .end = code + size},
		.depths = {.at = depths, .end = depths + sizeof(depths)},
		.name = name};

	return go_switches(&f, systemstack, list);
}

static void assert_switch(const struct go_switch *s, uint64_t from, uint64_t to, uint8_t index)
{
	assert_int_equal(s->from, START + from);
	assert_int_equal(s->to, START + to);
	assert_int_equal(s->rule.cfa, RUNTIME_CFA(GO));
	assert_int_equal(s->rule.index, index);
}

/* Like runtime.nanotime1. */
static void go_switch__by_a_register(void **state)
{
	(void)state;
	static const unsigned char code[] = {
		0x49, 0x89, 0xe4,       /* 0 mov %rsp,%r12 */
		0x75, 0x04,             /* 3 jne 9 */
		0x48, 0x8b, 0x62, 0x38, /* 5 mov 0x38(%rdx),%rsp */
		0x48, 0x83, 0xe4, 0xf0, /* 9 and $-16,%rsp */
		0xff, 0xd0,             /* 13 call *%rax */
		0x4c, 0x89, 0xe4,       /* 15 mov %r12,%rsp */
		0xc3,
	};
	struct go_switch list[GO_SWITCHES];

	assert_int_equal(find("f", code, sizeof(code), &none, list), 1);
	assert_switch(&list[0], 9, 18, GO_SWITCH_REG);
	assert_int_equal(list[0].rule.reg, 12);
	assert_int_equal(list[0].rule.ra, DEPTH);
	assert_int_equal(list[0].rule.fp_saved, UNWIND_AT_CFA);
}

/* Like runtime.asmcgocall: before the call the frame on the other stack is not complete. */
static void go_switch__by_a_distance(void **state)
{
	(void)state;
	static const unsigned char code[] = {
		0x48, 0x89, 0xe2,             /* 0 mov %rsp,%rdx */
		0x48, 0x8b, 0x66, 0x38,       /* 3 mov 0x38(%rsi),%rsp */
		0x48, 0x83, 0xec, 0x10,       /* 7 sub $16,%rsp */
		0x48, 0x89, 0x7c, 0x24, 0x08, /* 11 mov %rdi,8(%rsp) */
		0x48, 0x8b, 0x7f, 0x10,       /* 16 mov 16(%rdi),%rdi */
		0x48, 0x29, 0xd7,             /* 20 sub %rdx,%rdi */
		0x48, 0x89, 0x3c, 0x24,       /* 23 mov %rdi,(%rsp) */
		0xff, 0xd0,                   /* 27 call *%rax */
		0x48, 0x8b, 0x7c, 0x24, 0x08, /* 29 mov 8(%rsp),%rdi */
		0x48, 0x8b, 0x77, 0x10,       /* 34 mov 16(%rdi),%rsi */
		0x48, 0x2b, 0x34, 0x24,       /* 38 sub (%rsp),%rsi */
		0x48, 0x89, 0xf4,             /* 42 mov %rsi,%rsp */
		0xc3,
	};
	struct go_switch list[GO_SWITCHES];

	assert_int_equal(find("f", code, sizeof(code), &none, list), 2);
	assert_switch(&list[0], 7, 27, GO_SWITCH_REG);
	assert_int_equal(list[0].rule.reg, 1);
	assert_switch(&list[1], 27, 45, GO_SWITCH_DISTANCE);
	assert_int_equal(list[1].rule.offset, 8);
	assert_int_equal(list[1].rule.add, 16);
	assert_int_equal(list[1].rule.base, 0);
	assert_int_equal(list[1].rule.ra, DEPTH);
}

/* Like runtime.systemstack. */
static const unsigned char systemstack[] = {
	0x48, 0x8b, 0x62, 0x38,                               /* 0 mov 0x38(%rdx),%rsp */
	0xff, 0xd7,                                           /* 4 call *%rdi */
	0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, /* 6 mov %fs:-8,%rax */
	0x48, 0x8b, 0x58, 0x30,                               /* 15 mov 0x30(%rax),%rbx */
	0x48, 0x8b, 0x83, 0xc0, 0x00, 0x00, 0x00,             /* 19 mov 0xc0(%rbx),%rax */
	0x48, 0x8b, 0x60, 0x38,                               /* 26 mov 0x38(%rax),%rsp */
	0xc3,
};

static void go_switch__by_a_path(void **state)
{
	(void)state;
	struct go_switch list[GO_SWITCHES];

	assert_int_equal(find("f", systemstack, sizeof(systemstack), &none, list), 1);
	assert_switch(&list[0], 4, 30, GO_SWITCH_PATH);
	assert_int_equal(list[0].rule.offset, -8);
	assert_int_equal(list[0].rule.add, 0x30);
	assert_int_equal(list[0].rule.base, 0xc0);
	assert_int_equal(list[0].rule.fp, 0x38);
}

/* The path has an offset from a register; an unknown offset leads nowhere. */
static void go_switch__thread_offset(void **state)
{
	(void)state;
	unsigned char code[] = {
		0x48, 0x8b, 0x62, 0x38,                   /* 0 mov 0x38(%rdx),%rsp */
		0xff, 0xd7,                               /* 4 call *%rdi */
		0x48, 0xc7, 0xc1, 0xf0, 0xff, 0xff, 0xff, /* 6 mov $-16,%rcx */
		0x64, 0x48, 0x8b, 0x01,                   /* 13 mov %fs:(%rcx),%rax */
		0x48, 0x8b, 0x58, 0x30,                   /* 17 mov 0x30(%rax),%rbx */
		0x48, 0x8b, 0x03,                         /* 21 mov (%rbx),%rax */
		0x48, 0x8b, 0x60, 0x38,                   /* 24 mov 0x38(%rax),%rsp */
		0xc3,
	};
	struct go_switch list[GO_SWITCHES];

	assert_int_equal(find("f", code, sizeof(code), &none, list), 1);
	assert_switch(&list[0], 4, 28, GO_SWITCH_PATH);
	assert_int_equal(list[0].rule.offset, -16);
	assert_int_equal(list[0].rule.base, 0);
	code[8] = 0xc2; /* mov $-16,%rdx */
	assert_int_equal(find("f", code, sizeof(code), &none, list), 1);
	assert_int_equal(list[0].rule.cfa, UNWIND_CFA_NONE);
}

static const unsigned char for_good[] = {
	0x48, 0x89, 0x6e, 0x68, /* 0 mov %rbp,0x68(%rsi) */
	0x48, 0x8b, 0x63, 0x38, /* 4 mov 0x38(%rbx),%rsp */
	0xff, 0xd0,             /* 8 call *%rax */
	0x0f, 0x0b,             /* 10 ud2 */
};

static void go_switch__without_return(void **state)
{
	(void)state;
	struct go_switch list[GO_SWITCHES], path[GO_SWITCHES];

	assert_int_equal(find("runtime.mcall", for_good, sizeof(for_good), &none, list), 1);
	assert_int_equal(list[0].from, START + 8);
	assert_int_equal(list[0].rule.cfa, UNWIND_CFA_ROOT);
	assert_int_equal(find("runtime.gogo", for_good, sizeof(for_good), &none, list), 1);
	assert_int_equal(list[0].rule.cfa, UNWIND_CFA_NONE);
	assert_int_equal(find("runtime.morestack", for_good, sizeof(for_good), &none, list), 1);
	assert_int_equal(list[0].rule.cfa, UNWIND_CFA_NONE);

	find("f", systemstack, sizeof(systemstack), &none, path);
	assert_int_equal(
		find("runtime.morestack.abi0", for_good, sizeof(for_good), &path[0].rule, list), 1);
	assert_switch(&list[0], 8, 12, GO_SWITCH_CONTEXT);
	assert_int_equal(list[0].rule.base, 0xc0);
	assert_int_equal(list[0].rule.ra, 0x68);
}

static void go_switch__cut_anywhere(void **state)
{
	(void)state;
	struct go_switch list[GO_SWITCHES];

	for (size_t size = 0; size < sizeof(systemstack); size++)
		assert_true(find("f", systemstack, size, &none, list) <= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(go_switch__by_a_register),
		cmocka_unit_test(go_switch__by_a_distance),
		cmocka_unit_test(go_switch__by_a_path),
		cmocka_unit_test(go_switch__thread_offset),
		cmocka_unit_test(go_switch__without_return),
		cmocka_unit_test(go_switch__cut_anywhere),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
