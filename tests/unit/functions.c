/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the functions of this program. */
#include "nginx/nginx_functions.h"
#include "lib/util.h"
#include "process/inspect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

typedef int filter(int);

static filter *volatile next_filter;
static uint64_t aligned[2];
static struct processes ps;
static struct target target;
static struct nginx_functions functions;

static __attribute__((noipa)) int last(int n)
{
	return n + (int)aligned[0];
}

static __attribute__((noipa)) int first(int n)
{
	return next_filter(n + 1) + 1;
}

static __attribute__((noipa)) int install(int n)
{
	next_filter = last;
	return first(n) * 2;
}

static bool refers(filter *f, int kind, uint64_t address)
{
	size_t nr;
	struct code_reference *list =
		nginx_functions_references(&functions, (uint64_t)(uintptr_t)f, &nr);
	bool found = false;

	for (size_t i = 0; i < nr; i++)
		found |= (int)list[i].kind == kind && list[i].address == address;
	free(list);
	return found;
}

static void is__where_functions_begin(void **state)
{
	uint64_t at = (uint64_t)(uintptr_t)install;

	(void)state;
	assert_int_equal(install(1), 6);
	assert_true(nginx_functions_is(&functions, at));
	assert_false(nginx_functions_is(&functions, at + 1));
	assert_false(nginx_functions_is(&functions, (uint64_t)(uintptr_t)aligned));
	assert_false(nginx_functions_is(&functions, 0));
	assert_string_equal(
		file_name(nginx_functions_file(&functions, at)->file->path), "functions");
	assert_null(nginx_functions_file(&functions, 1));
}

static void variable__is_what_can_be_written(void **state)
{
	static const char *const constant[] = {"a"};
	const struct function_file *here =
		nginx_functions_file(&functions, (uint64_t)(uintptr_t)install);
	uint64_t at = (uint64_t)(uintptr_t)aligned;

	(void)state;
	assert_true(nginx_functions_is_variable(&functions, here, at));
	assert_true(nginx_functions_is_variable(&functions, NULL, at));
	assert_false(nginx_functions_is_variable(&functions, here, at + 1));
	assert_false(nginx_functions_is_variable(&functions, here, (uint64_t)(uintptr_t)constant));
	assert_false(nginx_functions_is_variable(&functions, here, (uint64_t)(uintptr_t)install));
}

static void references__of_a_filter_and_who_installs_it(void **state)
{
	(void)state;
	assert_true(refers(first, CODE_LOADS, (uint64_t)(uintptr_t)&next_filter));
	assert_true(refers(install, CODE_TAKES, (uint64_t)(uintptr_t)last));
	assert_true(refers(install, CODE_GOES, (uint64_t)(uintptr_t)first));
	assert_false(refers(last, CODE_LOADS, (uint64_t)(uintptr_t)&next_filter));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is__where_functions_begin),
		cmocka_unit_test(variable__is_what_can_be_written),
		cmocka_unit_test(references__of_a_filter_and_who_installs_it),
	};
	int failed;

	processes_init(&ps);
	inspect_init(&target, &ps, processes_get(&ps, (uint32_t)getpid()), NULL);
	nginx_functions_init(&functions, &target);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	nginx_functions_release(&functions);
	inspect_release(&target);
	processes_release(&ps);
	return failed;
}
