/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/x86_64/result_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CODE(...) (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

/* push rbp; mov rdx, rsi; call */
#define BEGIN 0x55, 0x48, 0x89, 0xf2, 0xe8, 1, 2, 3, 4

/* ngx_create_pool() of nginx 1.26: test rax, rax; je */
static void test_pointer(void **state)
{
	(void)state;
	assert_int_equal(result_place(CODE(BEGIN, 0x48, 0x85, 0xc0, 0x74, 0x5c)), 12);
	assert_int_equal(result_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, BEGIN, 0x48, 0x85, 0xc0, 0x0f,
				 0x84, 1, 2, 3, 4)),
		16);
}

/*
 * 1.22's ngx_create_pool(): mov ecx, 80; movq xmm2, rbx; movq xmm1, rax; paddq xmm0, xmm1 before it
 */
static void test_others_between(void **state)
{
	(void)state;
	assert_int_equal(result_place(CODE(BEGIN, 0xb9, 0x50, 0, 0, 0, 0x66, 0x48, 0x0f, 0x6e, 0xd3,
				 0x66, 0x48, 0x0f, 0x6e, 0xc8, 0x66, 0x0f, 0xd4, 0xc8, 0x48, 0x85,
				 0xc0, 0x74, 0x50)),
		31);
	/* built without optimisation: mov [rbp - 8], rax; cmp qword [rbp - 8], 0; jne */
	assert_int_equal(result_place(CODE(BEGIN, 0x48, 0x89, 0x45, 0xf8, 0x48, 0x83, 0x7d, 0xf8, 0,
				 0x75, 7)),
		18);
	/* mov rbx, rax; test rbx, rbx; je */
	assert_int_equal(
		result_place(CODE(BEGIN, 0x48, 0x89, 0xc3, 0x48, 0x85, 0xdb, 0x74, 7)), 15);
}

static void test_other_results(void **state)
{
	(void)state;
	/* an error code, as of posix_memalign(): test eax, eax */
	assert_int_equal(result_place(CODE(BEGIN, 0x85, 0xc0, 0x74, 0x5c)), 0);
	/* xor eax, eax; mov rax, [rsp] */
	assert_int_equal(result_place(CODE(BEGIN, 0x31, 0xc0, 0x48, 0x85, 0xc0, 0x74, 7)), 0);
	assert_int_equal(
		result_place(CODE(BEGIN, 0x48, 0x8b, 4, 0x24, 0x48, 0x85, 0xc0, 0x74, 7)), 0);
	/* another call, and no comparison */
	assert_int_equal(result_place(CODE(BEGIN, 0xe8, 1, 2, 3, 4, 0x48, 0x85, 0xc0, 0x74, 7)), 0);
	assert_int_equal(result_place(CODE(BEGIN, 0x74, 7)), 0);
}

static void test_other_code(void **state)
{
	(void)state;
	/* a branch before the call: test rdi, rdi; je */
	assert_int_equal(
		result_place(CODE(0x48, 0x85, 0xff, 0x74, 7, BEGIN, 0x48, 0x85, 0xc0, 0x74, 7)), 0);
	/* ret; jmp; the end of the known code */
	assert_int_equal(result_place(CODE(BEGIN, 0xc3)), 0);
	assert_int_equal(result_place(CODE(0xe9, 1, 2, 3, 4)), 0);
	assert_int_equal(result_place(CODE(BEGIN, 0x48, 0x85, 0xc0)), 0);
	assert_int_equal(result_place(CODE(0x55)), 0);
}

/* other programs have uprobes: at the start, at the branch */
static void test_uprobes(void **state)
{
	(void)state;
	assert_int_equal(result_place(CODE(0xcc, 0x48, 0x89, 0xf2, 0xe8, 1, 2, 3, 4, 0x48, 0x85,
				 0xc0, 0xcc, 0x5c)),
		12);
	assert_int_equal(
		result_place(CODE(0xcc, 0x0f, 0x1e, 0xfa, BEGIN, 0x48, 0x85, 0xc0, 0x74, 0x5c)),
		16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pointer),
		cmocka_unit_test(test_others_between),
		cmocka_unit_test(test_other_results),
		cmocka_unit_test(test_other_code),
		cmocka_unit_test(test_uprobes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
