/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of the pool that are freed and used again, in one map. */
#include "engine/bpf/pool.h"
#include "bpf_test.h"
#include "unwind/format.h"

#include <sys/mman.h>

static struct pool pool;

static int set_up(void **state)
{
	(void)state;
	pool_init(&pool, -1, 1);
	pool.nr_shards = 1;
	return mprotect(pool.memory, SHARD * UNWIND_BLOCK, PROT_READ | PROT_WRITE);
}

static int tear_down(void **state)
{
	(void)state;
	pool.nr_shards = 0; /* it has no map */
	pool_release(&pool);
	return 0;
}

/* Lets time pass, so that no BPF program uses freed blocks any more. */
static void let_pass(void)
{
	for (size_t i = 0; i < pool.nr_freed; i++)
		pool.freed[i].since_ns -= 1000000000;
}

static void pool__blocks_may_still_be_read_for_a_while(void **state)
{
	uint32_t block = pool_get(&pool, 2);

	(void)state;
	memset(pool_block(&pool, block), 1, 2 * UNWIND_BLOCK);
	pool_put(&pool, block, 2);
	assert_int_not_equal(pool_get(&pool, 2), block);
	let_pass();
	assert_int_equal(pool_get(&pool, 2), block);
	for (int i = 0; i < 2 * UNWIND_BLOCK; i++)
		assert_int_equal(((char *)pool_block(&pool, block))[i], 0);
}

static void pool__parts_of_a_run(void **state)
{
	uint32_t large = pool_get(&pool, 10), small = pool_get(&pool, 4);

	(void)state;
	pool_put(&pool, large, 10);
	pool_put(&pool, small, 4);
	let_pass();
	assert_int_equal(pool_get(&pool, 3), small);
	assert_int_equal(pool_get(&pool, 10), large);
	assert_int_equal(pool_get(&pool, 1), small + 3);
	assert_int_equal(pool.nr_freed, 0);
}

/* Sizes differ from file to file: the pool must not fill up with runs of sizes that are not
 * requested. */
static void pool__neighbours_are_joined(void **state)
{
	uint32_t block[8], nr = SHARD / ARRAY_LEN(block);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(block); i++)
		block[i] = pool_get(&pool, nr - !i); /* number 0 is no block */
	assert_int_equal(pool_get(&pool, 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(block); i++)
		pool_put(&pool, block[i * 3 % ARRAY_LEN(block)], nr - !i);
	assert_int_equal(pool_get(&pool, 1), 0);
	let_pass();
	assert_int_equal(pool_get(&pool, SHARD), 0);
	assert_int_equal(pool_get(&pool, SHARD - 1), block[0]);
	assert_int_equal(pool.nr_freed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			pool__blocks_may_still_be_read_for_a_while, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pool__parts_of_a_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(pool__neighbours_are_joined, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
