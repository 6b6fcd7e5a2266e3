/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/x86_64/entry_place.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define ENDBR 0xf3, 0x0f, 0x1e, 0xfa
#define NOP5 0x0f, 0x1f, 0x44, 0x00, 0x00
#define SUB_RSP 0x48, 0x83, 0xec, 0x18
#define RET 0xc3

/* The places in each function, if the stack pointer may move and if it may not. */
static void entry_place__places(void **state)
{
	static const struct {
		const unsigned char code[24];
		size_t size, place, same_stack;
	} cases[] = {
		{{0x53, RET}, 2, 0, 0},                              /* push rbx */
		{{ENDBR, 0x55, RET}, 6, 4, 4},                       /* push rbp */
		{{ENDBR, 0x41, 0x57, RET}, 7, 4, 4},                 /* push r15 */
		{{ENDBR, SUB_RSP, 0x90, RET}, 10, 8, 0},             /* sub, nop */
		{{0x48, 0x85, 0xff, 0x74, 0x01, RET, RET}, 7, 3, 3}, /* test, je */
		{{ENDBR, 0xe9, 1, 2, 3, 4}, 9, 4, 4},                /* jmp */
		{{ENDBR, 0xe8, 1, 2, 3, 4, RET}, 10, 0, 0},          /* call */
		{{0x31, 0xc0, 0x55, RET}, 4, 2, 2},                  /* xor eax, eax */
		{{0x31, 0xd2, 0x55, RET}, 4, 0, 0},                  /* xor edx, edx: an argument */
		{{0x41, 0x89, 0xf8, 0x55, RET}, 5, 0, 0},            /* mov edi, r8d */
		{{0x58, 0x55, RET}, 3, 0, 0},                        /* pop rax */
		{{0xc9, 0x55, RET}, 3, 0, 0},                        /* leave */
		{{NOP5, 0x55, RET}, 7, 5, 5},                        /* nop, push */
		{{NOP5, 0x89, 0xfe, RET}, 8, 5, 5},                  /* nop, mov edi, esi */
		{{ENDBR, NOP5, 0x89, 0xfe, RET}, 12, 0, 0},
		{{ENDBR, NOP5, 0x55, RET}, 11, 9, 9},
		{{0x31, 0xc0, 0x84, 0xdb, 0x75, 0xfc, RET}, 7, 0,
			0}, /* the jne jumps to the test */
		{{0x31, 0xc0, 0x84, 0xdb, 0x75, 0xfa, RET}, 7, 4,
			4},                           /* it calls the function again */
		{{ENDBR, 0x55, 0xeb, 0xfd}, 7, 0, 0}, /* to the push */
		{{ENDBR, 0x55, 0xeb, 0xfe}, 7, 4, 4}, /* to itself */
		{{ENDBR, 0x55, 0x06}, 6, 0, 0},       /* no instruction */
		{{0x66, 0x90, RET}, 3, 0, 0},         /* a nop that is not emulated */
		{{ENDBR, 0x66, 0x90, RET}, 7, 0, 0},
		{{ENDBR}, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(entry_place(cases[i].code, cases[i].size, false), cases[i].place);
		assert_int_equal(
			entry_place(cases[i].code, cases[i].size, true), cases[i].same_stack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(entry_place__places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
