/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/util.h"
#include "arch/x86_64/probe_place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define CODE(...) (const unsigned char[]){__VA_ARGS__}, sizeof((const unsigned char[]){__VA_ARGS__})

static void test_push_first(void **state)
{
	(void)state;
	assert_int_equal(probe_place(CODE(0x53, 0x48, 0x89, 0xfb)), 0);
	assert_int_equal(probe_place(CODE(0x41, 0x55, 0x49, 0x89, 0xf5)), 0);
}

static void test_endbr64(void **state)
{
	(void)state;
	/* push rbx; push r13; nop; jmp; call */
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x53, 0x90)), 4);
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x41, 0x55)), 4);
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x90)), 4);
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xe9, 1, 2, 3, 4)), 4);
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 1, 2, 3, 4)), 4);
}

/* nginx 1.30, ngx_http_free_request(): stores and loads up to the first jne */
static void test_loads_and_stores(void **state)
{
	(void)state;
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x83, 0xec, 0x38, 0x48,
				 0x8b, 0x47, 0x08, 0x48, 0x89, 0x6c, 0x24, 0x20, 0x48, 0x89, 0xfd,
				 0x4c, 0x89, 0x64, 0x24, 0x28, 0x4c, 0x8b, 0x60, 0x50, 0x4c, 0x89,
				 0x6c, 0x24, 0x30, 0x64, 0x4c, 0x8b, 0x2c, 0x25, 0x28, 0x00, 0x00,
				 0x00, 0x4c, 0x89, 0x6c, 0x24, 0x08, 0x49, 0x89, 0xf5, 0x41, 0xf6,
				 0x44, 0x24, 0x01, 0x01, 0x0f, 0x85, 0xa1, 0x01, 0x00, 0x00)),
		57);
	/* 1.22, ngx_http_send_header(): cmpb, js */
	assert_int_equal(
		probe_place(CODE(0x80, 0xbf, 0x1a, 0x05, 0, 0, 0, 0x78, 0x37, 0xf6, 0x87)), 7);
	/* 1.30: movzbl, test, jne */
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfa, 0x0f, 0xb6, 0x87, 0xbd, 0x04, 0,
				 0, 0xa8, 0x02, 0x75, 0x31)),
		13);
	/* lea of rip+N, sub of rsp, push */
	assert_int_equal(probe_place(CODE(0x48, 0x8d, 0x05, 1, 2, 3, 4, 0x48, 0x81, 0xec, 0xb8, 0,
				 0, 0, 0x55, 0x53)),
		14);
	/* movq of a number to memory with a base that is r13 + 8 bits, nopw, push */
	assert_int_equal(probe_place(CODE(0x49, 0xc7, 0x45, 0x40, 0, 0, 0, 0, 0x0f, 0x1f, 0x44,
				 0x00, 0x00, 0x55, 0x53)),
		13);
}

static void test_arguments_are_kept(void **state)
{
	(void)state;
	/* changes of rdi or rsi: mov rbx, rdi: 48 89 df; rdi from memory; esi cleared; lea of rdi;
	 * movzx of esi */
	assert_int_equal(probe_place(CODE(0x48, 0x89, 0xdf, 0x55, 0x53)), 0);
	assert_int_equal(probe_place(CODE(0x48, 0x8b, 0x7f, 0x08, 0x55, 0x53)), 0);
	assert_int_equal(probe_place(CODE(0x31, 0xf6, 0x55, 0x53)), 0);
	assert_int_equal(probe_place(CODE(0x48, 0x8d, 0x7f, 0x10, 0x55, 0x53)), 0);
	assert_int_equal(probe_place(CODE(0x0f, 0xb6, 0x77, 0x10, 0x55, 0x53)), 0);
	/* r15 and r14 are other registers, and reading memory at rdi does not change it */
	assert_int_equal(probe_place(CODE(0x49, 0x89, 0xff, 0x55, 0x53)), 3);
	assert_int_equal(probe_place(CODE(0x4c, 0x8b, 0x7f, 0x08, 0x55, 0x53)), 4);
	assert_int_equal(probe_place(CODE(0x48, 0x89, 0x07, 0x55, 0x53)), 3);
}

static void test_not_known(void **state)
{
	(void)state;
	assert_int_equal(probe_place(CODE(0xc3, 0x55, 0x53)), 0);                   /* ret */
	assert_int_equal(probe_place(CODE(0xf3, 0x0f, 0x1e, 0xfb, 0x55, 0x53)), 0); /* endbr32 */
	assert_int_equal(probe_place(CODE(0x0f, 0x05, 0x55, 0x53)), 0);             /* syscall */
	assert_int_equal(probe_place(CODE(0xff, 0xe0, 0x55, 0x53)), 0);             /* jmp *rax */
	assert_int_equal(probe_place(CODE(0x87, 0xfe, 0x55, 0x53)), 0);             /* xchg */
	assert_int_equal(probe_place(NULL, 0), 0);
}

/* wherever the code is cut off, the place is before the cut */
static void test_truncated(void **state)
{
	static const unsigned char code[] = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x81, 0xec, 0xb8, 0, 0,
		0, 0x64, 0x48, 0x8b, 0x1c, 0x25, 0x28, 0, 0, 0, 0x55, 0x53};

	(void)state;
	for (size_t nr = 0; nr < sizeof(code); nr++)
		assert_int_equal(probe_place(code, nr), 0);
	assert_int_equal(probe_place(code, sizeof(code)), 20);
}

static void test_any_bytes(void **state)
{
	unsigned char code[64];

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		size_t nr = i % (sizeof(code) + 1);

		for (size_t k = 0; k < sizeof(code); k += 8) {
			uint64_t word = hash_u64(i * sizeof(code) + k);

			memcpy(code + k, &word, sizeof(word));
		}
		assert_true(probe_place(code, nr) < nr + !nr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_push_first),
		cmocka_unit_test(test_endbr64),
		cmocka_unit_test(test_loads_and_stores),
		cmocka_unit_test(test_arguments_are_kept),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
