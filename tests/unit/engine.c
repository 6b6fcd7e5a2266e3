/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which engines may make the requested recording, and in which order. */
#include "check/preflight.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "runtime/perl/perl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const struct tool on_cpu = {.program = (char *)"on_cpu"}, locks;

static void expect(const char *name, const struct engine_request *request, size_t nr,
	const struct engine_ops *first)
{
	const struct engine_ops *found[ENGINES_MAX];

	assert_int_equal(engines_find(name, request, found), nr);
	if (nr)
		assert_ptr_equal(found[0], first);
}

static void test_names(void **state)
{
	struct engine_request any = {.tool = &on_cpu};

	(void)state;
	expect("auto", &any, 2, &stap_engine);
	expect("stap", &any, 1, &stap_engine);
	expect("bpf", &any, 1, &bpf_engine);
	expect("", &any, 0, NULL);
	expect("dtrace", &any, 0, NULL);
}

static void test_wishes(void **state)
{
	struct engine_request module = {.tool = &on_cpu, .module = "a.ko"};
	struct engine_request compile = {.tool = &on_cpu, .compile_only = true};
	struct engine_request release = {.tool = &on_cpu, .release = "6.1.0"};
	struct engine_request args = {.tool = &on_cpu, .nr_stap_args = 1};
	struct engine_request children = {.tool = &on_cpu, .nr_pids = 1, .children = true};
	struct engine_request own = {.tool = &locks};
	struct engine_request command = {.tool = &on_cpu, .children = true};
	struct engine_request perl = {.tool = &on_cpu, .nr_pids = 1, .vms = VM_BIT(VM_PERL)};
	struct engine_request perl_begins = {
		.tool = &on_cpu, .children = true, .vms = VM_BIT(VM_PERL)};
	struct engine_request perl_module = {
		.tool = &on_cpu, .children = true, .vms = VM_BIT(VM_PERL), .compile_only = true};

	struct engine_request selection = {.tool = &on_cpu, .selection = {SELECT_COMM, "nginx"}};
	struct engine_request selection_own = {.tool = &locks, .selection = {SELECT_COMM, "nginx"}};

	(void)state;
	expect("auto", &selection, 1, &bpf_engine);
	expect("auto", &selection_own, 1, &stap_engine);
	expect("auto", &module, 1, &stap_engine);
	expect("auto", &compile, 1, &stap_engine);
	expect("auto", &release, 1, &stap_engine);
	expect("auto", &args, 1, &stap_engine);
	expect("auto", &own, 1, &stap_engine);
	expect("auto", &children, 1, &bpf_engine);
	expect("auto", &command, 2, &stap_engine);
	expect("auto", &perl, 2, &stap_engine);
	expect("auto", &perl_begins, 1, &bpf_engine);
	expect("auto", &perl_module, 1, &stap_engine);
}

static void test_only_built_in(void **state)
{
	struct engine_request lua = {.tool = &on_cpu, .nr_pids = 1, .vms = VM_BIT(VM_LUA)};
	struct engine_request several = {
		.tool = &on_cpu, .nr_pids = 1, .vms = VM_BIT(VM_PERL) | VM_BIT(VM_PYTHON)};
	char program[] = "own", event[] = "things";
	const struct tool own = {.program = program, .event = event, .is_built_in = true};
	struct engine_request things = {.tool = &own, .nr_pids = 1};
	struct engine_request sliced = {.tool = &on_cpu, .nr_pids = 1, .must_slice = true};
	const struct engine_ops *bpf = &bpf_engine;
	struct strbuf why = STRBUF_INIT;

	(void)state;
	expect("auto", &lua, 1, bpf);
	assert_int_equal(preflight_choose(&bpf, 1, &lua, &why), 0);
	assert_string_equal(why.buf, "using the built-in engine: only it walks all Lua stacks");
	strbuf_reset(&why);
	expect("auto", &several, 1, bpf);
	assert_int_equal(preflight_choose(&bpf, 1, &several, &why), 0);
	assert_string_equal(why.buf,
		"using the built-in engine: only it walks the stacks of several languages");
	strbuf_reset(&why);
	expect("auto", &things, 1, bpf);
	assert_int_equal(preflight_choose(&bpf, 1, &things, &why), 0);
	assert_string_equal(why.buf, "using the built-in engine: there is no script for things");
	strbuf_reset(&why);
	expect("auto", &sliced, 1, bpf);
	assert_int_equal(preflight_choose(&bpf, 1, &sliced, &why), 0);
	assert_string_equal(why.buf, "using the built-in engine: only it records slices of time");
	strbuf_release(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_only_built_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
