/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/x86_64/sdt_operand.h"
#include "lib/util.h"

#include <asm/ptrace.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#define AT(name) offsetof(struct pt_regs, name)
#define NONE SDT_NO_REGISTER

/* Each is the first and the second of two arguments. */
static void sdt_operand__forms(void **state)
{
	static const struct {
		const char *text;
		enum sdt_kind kind;
		uint8_t size;
		bool is_signed;
		uint16_t base, index;
		uint8_t scale;
		int64_t number;
		const char *symbol; /* or NULL */
	} cases[] = {
		{"-4@$5", SDT_CONSTANT, 4, true, NONE, NONE, 0, 5, NULL},
		{"8@$-16", SDT_CONSTANT, 8, false, NONE, NONE, 0, -16, NULL},
		{"8@$0x10", SDT_CONSTANT, 8, false, NONE, NONE, 0, 16, NULL},
		{"8@$18446744073709551615", SDT_CONSTANT, 8, false, NONE, NONE, 0, -1, NULL},
		{"8@$table+4", SDT_CONSTANT, 8, false, NONE, NONE, 0, 4, "table"},
		{"8@%rdi", SDT_REGISTER, 8, false, AT(rdi), NONE, 0, 0, NULL},
		{"-4@%eax", SDT_REGISTER, 4, true, AT(rax), NONE, 0, 0, NULL},
		{"2@%r10w", SDT_REGISTER, 2, false, AT(r10), NONE, 0, 0, NULL},
		{"-1@%sil", SDT_REGISTER, 1, true, AT(rsi), NONE, 0, 0, NULL},
		{"1@%ah", SDT_REGISTER, 1, false, AT(rax) + 1, NONE, 0, 0, NULL},
		{"8@(%rdi)", SDT_MEMORY, 8, false, AT(rdi), NONE, 1, 0, NULL},
		{"-4@-20(%rbp)", SDT_MEMORY, 4, true, AT(rbp), NONE, 1, -20, NULL},
		{"4@8(%rax,%r13,4)", SDT_MEMORY, 4, false, AT(rax), AT(r13), 4, 8, NULL},
		{"4@(%rax,%rbx)", SDT_MEMORY, 4, false, AT(rax), AT(rbx), 1, 0, NULL},
		{"8@16(,%rcx,8)", SDT_MEMORY, 8, false, NONE, AT(rcx), 8, 16, NULL},
		{"4@count(%rip)", SDT_MEMORY, 4, false, AT(rip), NONE, 1, 0, "count"},
		{"4@48+count.0(%rip)", SDT_MEMORY, 4, false, AT(rip), NONE, 1, 48, "count.0"},
		{"4@count-8(%rip)", SDT_MEMORY, 4, false, AT(rip), NONE, 1, -8, "count"},
		{"8@table(,%rcx,8)", SDT_MEMORY, 8, false, NONE, AT(rcx), 8, 0, "table"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned number = 1; number <= 2; number++) {
			char *text = xasprintf("%s %s", cases[i].text, cases[i].text);
			struct sdt_operand o;

			assert_null(sdt_operand_parse(&o, text, number));
			assert_int_equal(o.kind, cases[i].kind);
			assert_int_equal(o.size, cases[i].size);
			assert_int_equal(o.is_signed, cases[i].is_signed);
			assert_int_equal(o.base, cases[i].base);
			assert_int_equal(o.index, cases[i].index);
			assert_int_equal(o.scale, cases[i].scale);
			assert_int_equal(o.number, cases[i].number);
			assert_int_equal(!o.symbol, !cases[i].symbol);
			if (o.symbol)
				assert_memory_equal(o.symbol, cases[i].symbol, o.symbol_len);
			free(text);
		}
}

static void sdt_operand__refused(void **state)
{
	static const char *const texts[] = {"", " ", "8@", "8@%", "8@%xmm0", "8f@%xmm0", "3@%rax",
		"16@%rax", "-@%rax", "8@%fs:8(%rax)", "8@8(%rax", "8@8(%rax,%rbx,3)",
		"8@8(%rax,rbx)", "8@8(%zz)", "8@$", "8@--8(%rax)", "8@a+b(%rip)", "8@-a(%rip)",
		"8@8(%rax)x", "8@%raxx", "8@$99999999999999999999"};
	struct sdt_operand o;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_non_null(sdt_operand_parse(&o, texts[i], 1));
	assert_non_null(sdt_operand_parse(&o, "8@%rax", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sdt_operand__forms),
		cmocka_unit_test(sdt_operand__refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
