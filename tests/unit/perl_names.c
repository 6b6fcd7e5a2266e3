/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/perl/perl_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void test_evals(void **state)
{
	static const struct {
		const char *file, *caller;
		uint32_t line;
		const char *name; /* or NULL if it stays as it is */
	} cases[] = {
		{"/srv/a.pl", "/srv/a.pl", 3, "(eval a.pl:3)"},
		{"(eval 12)", "/srv/a.pl", 3, "(eval a.pl:3)"},
		{"(eval 12)", "(eval 11)", 1, "(eval in eval)"},
		{"(eval 12)", "(eval 12)", 2, "(eval in eval)"},
		{"/usr/lib/A/B.pm", "/srv/a.pl", 3, "require B.pm"},
		{"conf.pl", "/srv/a.pl", 3, "require conf.pl"},
		{"B.pm", "(eval 4)", 1, "require B.pm"},
		{"page.html", "/srv/a.pl", 3, NULL}, /* the text of an eval, with #line */
		{"(eval 12)", "/srv/a.pl", 0, NULL},
		{"(eval 12)", "", 3, NULL},
		{"", "/srv/a.pl", 3, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct vm_place frame = {VM_WHAT(PERL_EVAL), cases[i].file, 1};
		const struct vm_place caller = {0, cases[i].caller, cases[i].line};
		struct strbuf name = STRBUF_INIT;
		bool is_named = perl_vm.name_in_stack(&frame, &caller, &name);

		assert_int_equal(is_named, cases[i].name != NULL);
		assert_string_equal(name.buf, cases[i].name ? cases[i].name : "");
		strbuf_release(&name);
	}
}

static void test_subs_keep_their_names(void **state)
{
	const struct vm_place frame = {VM_WHAT(PERL_SUB), "a.pm", 1}, caller = {0, "b.pl", 1};
	struct strbuf name = STRBUF_INIT;

	(void)state;
	assert_false(perl_vm.name_in_stack(&frame, &caller, &name));
	strbuf_release(&name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_evals),
		cmocka_unit_test(test_subs_keep_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
