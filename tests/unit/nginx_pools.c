/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pools that this program makes as nginx does. */
#include "label/nginx/nginx_pool.h"
#include "process/target.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cmocka.h>

enum { BLOCK = 4096 };

struct made_large {
	struct made_large *next;
	void *alloc;
};

struct made_pool {
	char *last, *end;
	struct made_pool *next;
	uint64_t failed, max;
	void *current, *chain;
	struct made_large *large;
	void *cleanup, *log;
};

static bool read_own(void *context, uint64_t address, void *to, size_t len)
{
	const struct iovec here = {to, len}, there = {(void *)(uintptr_t)address, len};

	(void)context;
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)len;
}

static const struct memory own = {.read = read_own};

static struct made_pool *make_block(size_t used)
{
	char *p = aligned_alloc(16, BLOCK);

	memset(p, 0, BLOCK);
	*(struct made_pool *)(void *)p = (struct made_pool){.last = p + used, .end = p + BLOCK};
	return (struct made_pool *)(void *)p;
}

static struct nginx_pool read_pool(const void *at, bool uses_glibc)
{
	struct nginx_pool pool;

	nginx_pool_read(&own, (uint64_t)(uintptr_t)at, uses_glibc, &pool);
	return pool;
}

static void pool__of_blocks(void **state)
{
	struct made_pool *a = make_block(1000), *b = make_block(4000);
	struct nginx_pool pool;

	(void)state;
	a->next = b;
	pool = read_pool(a, true);
	assert_true(pool.is_whole);
	assert_int_equal(pool.nr_blocks, 2);
	assert_int_equal(pool.used, 5000);
	assert_int_equal(pool.unused, 2 * BLOCK - 5000);
	assert_int_equal(nginx_pool_bytes(&pool), 2 * BLOCK);
	free(a);
	free(b);
}

static void pool__with_large_allocations(void **state)
{
	struct made_pool *a = make_block(100);
	struct made_large mapped = {NULL, malloc(10 << 20)}, freed = {&mapped, NULL},
			  small = {&freed, malloc(5000)};
	struct nginx_pool pool;

	(void)state;
	a->large = &small;
	pool = read_pool(a, true);
	assert_true(pool.is_whole);
	assert_int_equal(pool.nr_large, 2);
#ifndef __SANITIZE_ADDRESS__ /* AddressSanitizer has another malloc */
	assert_int_equal(pool.nr_unknown, 0);
	assert_int_equal(pool.large_bytes,
		malloc_usable_size(mapped.alloc) + malloc_usable_size(small.alloc));
#endif
	pool = read_pool(a, false);
	assert_int_equal(pool.nr_large, 2);
	assert_int_equal(pool.nr_unknown, 2);
	assert_int_equal(pool.large_bytes, 0);
	free(mapped.alloc);
	free(small.alloc);
	free(a);
}

static void pool__is_none_or_ends_nowhere(void **state)
{
	struct made_pool *a = make_block(100);
	struct made_large loop;

	(void)state;
	assert_false(read_pool(NULL, true).is_whole);
	assert_false(read_pool((char *)a + 1, true).is_whole);
	a->next = (void *)8;
	assert_false(read_pool(a, true).is_whole);
	a->next = a;
	assert_false(read_pool(a, true).is_whole);
	a->next = NULL;
	loop = (struct made_large){&loop, NULL};
	a->large = &loop;
	assert_false(read_pool(a, true).is_whole);
	a->large = NULL;
	a->last = a->end + 1;
	assert_false(read_pool(a, true).is_whole);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pool__of_blocks),
		cmocka_unit_test(pool__with_large_allocations),
		cmocka_unit_test(pool__is_none_or_ends_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
