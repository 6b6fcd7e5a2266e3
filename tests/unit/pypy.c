/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules by which PyPy's compiled loops are unwound. */
#include "runtime/pypy/jit_pypy.h"
#include "model/runtime.h"
#include "unwind/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

extern const unsigned char pypy_helper[], pypy_loop[], pypy_loop_end[], pypy_small[],
	pypy_small_end[];

/* clang-format off */
asm(".pushsection .rodata\n"
	"pypy_helper:\n"
	"sub $8,%rsp\n"
	"add $8,%rsp\n"
	"ret\n"
	"pypy_loop:\n"
	"sub $0xb8,%rsp\n"
	"mov %rbp,0x60(%rsp)\n"
	"mov %rsi,0xb0(%rsp)\n"
	"pypy_loop_end:\n"
	"nop\n"
	"pypy_small:\n" /* a slot that is not aligned */
	"sub $0xb8,%rsp\n"
	"mov %rbp,0x7c(%rsp)\n"
	"mov %rsi,0xb0(%rsp)\n"
	"pypy_small_end:\n"
	".popsection\n");
/* clang-format on */

static void pypy__rule_by_a_loop(void **state)
{
	const struct unwind_rule want = {.cfa = UNWIND_CFA_CALLED,
		.reg = REG_SP,
		.offset = 0xb8 + 8,
		.ra = -1,
		.fp_saved = UNWIND_AT_CFA,
		.fp = (0x60 - 0xb8 - 8) / 8,
		.base_saved = UNWIND_LOST,
		.lost = 15};
	struct unwind_rule rule;

	(void)state;
	assert_true(jit_pypy_rule(pypy_helper, (size_t)(pypy_loop_end - pypy_helper), &rule));
	assert_memory_equal(&rule, &want, sizeof(rule));
}

static void pypy__no_loop(void **state)
{
	size_t helper = (size_t)(pypy_loop - pypy_helper);
	struct unwind_rule rule;

	(void)state;
	assert_false(jit_pypy_rule(pypy_helper, helper, &rule));
	/* only a part of the code was read */
	assert_false(jit_pypy_rule(pypy_helper, helper + 15, &rule));
	assert_false(jit_pypy_rule(pypy_helper, 0, &rule));
	assert_false(jit_pypy_rule(pypy_small, (size_t)(pypy_small_end - pypy_small), &rule));
}

static void pypy__names(void **state)
{
	(void)state;
	assert_int_equal(runtime_of("libpypy3-c.so"), RUNTIME_PYPY);
	assert_int_equal(runtime_of("pypy3"), RUNTIME_PYPY);
	assert_int_equal(runtime_of("libpython3.11.so.1.0"), RUNTIME_PYTHON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pypy__rule_by_a_loop),
		cmocka_unit_test(pypy__no_loop),
		cmocka_unit_test(pypy__names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
