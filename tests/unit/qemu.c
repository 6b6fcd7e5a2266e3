/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How QEMU is recognised, and the rules by which its translated code is unwound. */
#include "runtime/qemu/jit_qemu.h"
#include "model/runtime.h"
#include "unwind/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

extern const unsigned char qemu_entry[], qemu_lower[], qemu_higher[], qemu_other[];

/* clang-format off */
#define ENTRY(name, last, moved) \
	#name ":\n" \
	"push %rbp\n" \
	"push %rbx\n" \
	"push %r12\n" \
	"push %r13\n" \
	"push %r14\n" \
	"push %" #last "\n" \
	".byte 0x48, 0x8b, 0xef\n" /* mov %rdi,%rbp */ \
	"add $" #moved ",%rsp\n"

asm(".pushsection .rodata\n"
	ENTRY(qemu_entry, r15, -0x488)
	ENTRY(qemu_lower, r15, -0x20000)
	ENTRY(qemu_higher, r15, 0x488)
	ENTRY(qemu_other, r11, -0x488)
	".popsection\n");
/* clang-format on */

static void qemu__rule_by_its_entry(void **state)
{
	const struct unwind_rule want = {.cfa = UNWIND_CFA_CALLED,
		.reg = REG_SP,
		.offset = 0x488 + 6 * 8 + 8,
		.ra = -1,
		.fp_saved = UNWIND_AT_CFA,
		.fp = -2,
		.base_saved = UNWIND_AT_CFA,
		.base = -3,
		.lost = 15};
	struct unwind_rule rule;

	(void)state;
	assert_true(jit_qemu_rule(qemu_entry, &rule));
	assert_memory_equal(&rule, &want, sizeof(rule));
}

static void qemu__other_code(void **state)
{
	struct unwind_rule rule;

	(void)state;
	assert_false(jit_qemu_rule(qemu_lower, &rule));
	assert_false(jit_qemu_rule(qemu_higher, &rule));
	assert_false(jit_qemu_rule(qemu_other, &rule));
}

static void qemu__names(void **state)
{
	(void)state;
	assert_int_equal(runtime_of("qemu-system-x86_64"), RUNTIME_QEMU);
	assert_int_equal(runtime_of("qemu-aarch64"), RUNTIME_QEMU);
	assert_int_equal(runtime_of("qemu"), RUNTIME_UNKNOWN);
	assert_int_equal(runtime_of("node_exporter"), RUNTIME_UNKNOWN);
	assert_int_equal(runtime_of("nodes"), RUNTIME_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(qemu__rule_by_its_entry),
		cmocka_unit_test(qemu__other_code),
		cmocka_unit_test(qemu__names),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
