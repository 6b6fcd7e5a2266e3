/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/limits/memory.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { MIB = 1 << 20, LIMIT = 64, TOO_LATE = 1, NO_RESERVE, NO_LAST, AS_EXPECTED };

static int nr_after; /* MiB allocated after memory was low */

static void exhausted(void)
{
	if (nr_after < LIMIT / 8)
		_exit(NO_RESERVE);
	_exit(malloc(MIB) ? AS_EXPECTED : NO_LAST);
}

/* Allocates until no memory is left; the result is its exit code. */
static void use_up(void)
{
	struct rlimit limit = {(rlim_t)LIMIT * MIB, (rlim_t)LIMIT * MIB};

	setrlimit(RLIMIT_DATA, &limit);
	memory_reserve();
	memory_on_exhaustion(exhausted);
	if (memory_limit() != (uint64_t)LIMIT * MIB || memory_share(UINT64_MAX, 4) != 16 * MIB ||
		memory_share(5, 4) != 5 || memory_is_low())
		_exit(TOO_LATE);
	for (int i = 0; i < LIMIT; i++) {
		xmalloc(MIB);
		nr_after += memory_is_low();
	}
	_exit(TOO_LATE);
}

static void test_low_before_exhausted(void **state)
{
	int status = 0;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	pid_t pid = fork();

	if (!pid)
		use_up();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), AS_EXPECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_low_before_exhausted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
