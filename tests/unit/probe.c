/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/probe.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void assert_text(const char *text, const char *want)
{
	if (want)
		assert_string_equal(text, want);
	else
		assert_null(text);
}

static void probe__kinds(void **state)
{
	static const struct {
		const char *text;
		enum probe_kind kind;
		const char *name, *file;
		bool at_return;
		const char *provider;
	} cases[] = {
		{"kernel.trace(\"sched_switch\")", PROBE_TRACE, "sched_switch", NULL, false, NULL},
		{"kernel.trace(\"a:b\")", PROBE_TRACE, "a:b", NULL, false, NULL},
		{"kernel.trace(\"a\").return", PROBE_OTHER, NULL, NULL, false, NULL},
		{"kernel.function(\"f\")", PROBE_KERNEL, "f", NULL, false, NULL},
		{"kernel.function(\"f\").call", PROBE_KERNEL, "f", NULL, false, NULL},
		{"kernel.function(\"f\").return", PROBE_KERNEL, "f", NULL, true, NULL},
		{"kernel.function(\"f\").inline", PROBE_OTHER, NULL, NULL, false, NULL},
		{"kernel.function(\"f@a.c:1\")", PROBE_OTHER, NULL, NULL, false, NULL},
		{"kernel.function(1)", PROBE_OTHER, NULL, NULL, false, NULL},
		{"module(\"m\").function(\"f\")", PROBE_OTHER, NULL, NULL, false, NULL},
		{"process.function(\"f\")", PROBE_USER, "f", NULL, false, NULL},
		{"process(\"/a/b\").function(\"f\").return", PROBE_USER, "f", "/a/b", true, NULL},
		{"process(\"p\").mark(\"m\")", PROBE_MARK, "m", "p", false, NULL},
		{"process.mark(\"a-b\")", PROBE_MARK, "a-b", NULL, false, NULL},
		{"process(\"p\").provider(\"q\").mark(\"m*\")", PROBE_MARK, "m*", "p", false, "q"},
		{"process(\"p\").mark(\"m\").return", PROBE_OTHER, NULL, NULL, false, NULL},
		{"process(\"p\").provider(\"q\")", PROBE_OTHER, NULL, NULL, false, NULL},
		{"syscall.read", PROBE_SYSCALL, "read", NULL, false, NULL},
		{"syscall.read.return", PROBE_SYSCALL, "read", NULL, true, NULL},
		{"syscall.*", PROBE_SYSCALL, "*", NULL, false, NULL},
		{"perf.sw.page_faults", PROBE_SOFTWARE, "page_faults", NULL, false, NULL},
		{"perf.hw.cpu_cycles", PROBE_HARDWARE, "cpu_cycles", NULL, false, NULL},
		{"perf.hw.cpu_cycles.sample(1000)", PROBE_OTHER, NULL, NULL, false, NULL},
		{"timer.s(1)", PROBE_OTHER, NULL, NULL, false, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct probe probe;

		assert_true(probe_parse(&probe, cases[i].text));
		assert_string_equal(probe.text, cases[i].text);
		assert_int_equal(probe.kind, cases[i].kind);
		assert_text(probe.name, cases[i].name);
		assert_text(probe.file, cases[i].file);
		assert_text(probe.provider, cases[i].provider);
		assert_int_equal(probe.at_return, cases[i].at_return);
		probe_release(&probe);
	}
}

/* Text that would go beyond the probe point in a script. */
static void probe__refused(void **state)
{
	static const char *const texts[] = {"", ".", "1", "a{", "a}", "a;b", "a,b", "a b", "a\tb",
		"a\nb", "a#", "a%", "a$1", "a@b", "a'", "a`", "a=b", "a(\"b)", "a\\", "a(\"\\\")",
		"kernel.function(\"a", "a(", "a)", "a)(", "a\x01"};
	struct probe probe;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(probe_parse(&probe, texts[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probe__kinds),
		cmocka_unit_test(probe__refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
