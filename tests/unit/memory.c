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

static void limit_memory(void)
{
	struct rlimit limit = {(rlim_t)LIMIT * MIB, (rlim_t)LIMIT * MIB};

	setrlimit(RLIMIT_DATA, &limit);
	memory_reserve();
}

/* Allocates until no memory is left; the result is its exit code. */
static void use_up(void)
{
	limit_memory();
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

/* The reserve counts as free until it is given back; the result is the exit code. */
static void ask_for_room(void)
{
	limit_memory();
	xmalloc((LIMIT * 3 / 4 - 8) * (size_t)MIB);
	if (!memory_has(LIMIT / 4 * (size_t)MIB) || memory_is_low())
		_exit(NO_RESERVE);
	if (memory_has(LIMIT / 2 * (size_t)MIB) || !memory_is_low())
		_exit(TOO_LATE);
	_exit(memory_has(LIMIT / 8 * (size_t)MIB) ? AS_EXPECTED : NO_LAST);
}

static void expect_of_child(void (*call)(void))
{
	int status = 0;

#ifdef __SANITIZE_ADDRESS__
	skip();
#endif
	pid_t pid = fork();

	if (!pid)
		call();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), AS_EXPECTED);
}

static void test_low_before_exhausted(void **state)
{
	(void)state;
	expect_of_child(use_up);
}

static void test_room(void **state)
{
	(void)state;
	expect_of_child(ask_for_room);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_low_before_exhausted),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
