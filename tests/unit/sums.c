/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bpf/sums.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct sums sums;

static int set_up(void **state)
{
	(void)state;
	sums_init(&sums);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sums_release(&sums);
	return 0;
}

static void sums__equal_stacks_have_one_number(void **state)
{
	const uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
	uint32_t first = sums_stack(&sums, a, 3, STACK_USER, WALK_ROOT);

	(void)state;
	assert_true(first);
	assert_int_equal(sums_stack(&sums, a, 3, STACK_USER, WALK_ROOT), first);
	const uint32_t others[] = {
		sums_stack(&sums, b, 3, STACK_USER, WALK_ROOT),
		sums_stack(&sums, a, 2, STACK_USER, WALK_ROOT),
		sums_stack(&sums, a + 1, 2, STACK_USER, WALK_ROOT),
		sums_stack(&sums, a, 3, STACK_KERNEL, WALK_ROOT),
		sums_stack(&sums, a, 3, STACK_USER, WALK_DEEP),
		sums_stack(&sums, a, 0, STACK_USER, WALK_ROOT),
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_int_equal(others[i], first + 1 + i);
	assert_int_equal(sums_stack(&sums, a, 0, STACK_USER, WALK_ROOT), others[5]);
	assert_int_equal(sums.nr_stacks, 8);
	assert_int_equal(sums.stacks[others[3]].kind, STACK_KERNEL);
	assert_int_equal(sums.stacks[others[4]].end, WALK_DEEP);
	assert_memory_equal(sums.frames + sums.stacks[first].first, a, sizeof(a));
}

/*
 * Words 0, 2, 4 … are combined with the key before all is multiplied: of what lies before or beside
 * a word that is equal to the key, nothing is left.
 */
static uint64_t hash_of(const void *p, size_t size)
{
	return hash_text(p, size);
}

static void sums__equal_hashes_are_not_equal_stacks(void **state)
{
	uint64_t frames[6] = {0, 0, 0, 0, hash_key[1]}, hash = hash_of(frames, sizeof(frames));
	uint32_t id[1000];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < ARRAY_LEN(id); i++) {
			frames[i % 4] = i;
			frames[5] = i;
			assert_int_equal(hash_of(frames, sizeof(frames)), hash);
			uint32_t number = sums_stack(
				&sums, frames, 6, i & 1 ? STACK_KERNEL : STACK_USER, WALK_ROOT);

			if (round)
				assert_int_equal(number, id[i]);
			id[i] = number;
			frames[i % 4] = 0;
		}
	assert_int_equal(sums.nr_stacks, 1 + ARRAY_LEN(id));
	assert_int_equal(sums.by_hash.nr, 2); /* user and kernel */
}

static struct row_key row(uint32_t user, const char *comm)
{
	struct row_key key = {.start = 7, .tid = 5, .tgid = 4, .user = user, .kernel = 9};

	strcpy(key.comm, comm);
	return key;
}

static void sums__rows_are_merged(void **state)
{
	struct row_key keys[7];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		keys[i] = row(1, "a");
	keys[1].user = STACK_COPY | 1;
	keys[2].comm[COMM_LEN - 1] = 'x';
	keys[3].tag = 'S';
	keys[4].start = 8;
	keys[5].tid = 6;
	keys[6].kernel = 0;
	for (uint64_t round = 1; round <= 10; round++)
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			sums_add(&sums, &keys[i], round, 1000 * i);
	assert_int_equal(sums.nr_rows, 1 + ARRAY_LEN(keys));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		assert_memory_equal(&sums.rows[1 + i].key, &keys[i], sizeof(keys[i]));
		assert_int_equal(sums.rows[1 + i].count, 55);
		assert_int_equal(sums.rows[1 + i].sum, 10000 * i);
	}
}

static void sums__equal_hashes_are_not_equal_rows(void **state)
{
	struct row_key key = row(0, "a");
	uint64_t hash;

	(void)state;
	key.perl = hash_key[1]; /* times 0 is whatever stands beside it and before */
	hash = hash_of(&key, sizeof(key));
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			key.start = i / 10;
			key.tag = i;
			assert_int_equal(hash_of(&key, sizeof(key)), hash);
			sums_add(&sums, &key, 1, i);
		}
	assert_int_equal(sums.rows_by_hash.nr, 1);
	assert_int_equal(sums.nr_rows, 1001);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(sums.rows[1 + i].key.tag, i);
		assert_int_equal(sums.rows[1 + i].count, 2);
		assert_int_equal(sums.rows[1 + i].sum, 2 * i);
	}
}

static void sums__numbers_stay_at_the_largest(void **state)
{
	struct row_key key = row(1, "a");

	(void)state;
	sums_add(&sums, &key, UINT64_MAX - 1, 1);
	sums_add(&sums, &key, 1, UINT64_MAX - 2);
	assert_int_equal(sums.rows[1].count, UINT64_MAX);
	assert_int_equal(sums.rows[1].sum, UINT64_MAX - 1);
	sums_add(&sums, &key, 5, 5);
	assert_int_equal(sums.rows[1].count, UINT64_MAX);
	assert_int_equal(sums.rows[1].sum, UINT64_MAX);
}

enum { MANY = 1000000 };

/* The I-th of many stacks: those that differ in their first or last frame only are among them. */
static uint32_t make_stack(uint64_t *frames, uint32_t i)
{
	uint32_t nr = 2 + i % 7;

	for (uint32_t k = 0; k < nr; k++)
		frames[k] = 1ULL << 41 | k;
	frames[i & 1 ? 0 : nr - 1] |= (uint64_t)i << 8;
	return nr;
}

static void sums__many(void **state)
{
	uint64_t frames[8];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t nr = make_stack(frames, i);
		struct row_key key = row(sums_stack(&sums, frames, nr, STACK_USER, WALK_ROOT), "a");

		assert_int_equal(key.user, i + 1);
		key.tid = i % 100;
		sums_add(&sums, &key, i, 1);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t nr = make_stack(frames, i),
			 id = sums_stack(&sums, frames, nr, STACK_USER, WALK_ROOT);
		const struct sums_stack *s = &sums.stacks[id];

		assert_int_equal(id, i + 1);
		assert_int_equal(s->nr, nr);
		assert_memory_equal(sums.frames + s->first, frames, nr * sizeof(*frames));
		assert_int_equal(sums.rows[1 + i].key.user, id);
		assert_int_equal(sums.rows[1 + i].count, i);
	}
	assert_int_equal(sums.nr_stacks, 1 + MANY);
	assert_int_equal(sums.nr_rows, 1 + MANY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(sums__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_stacks_have_one_number),
		TEST(equal_hashes_are_not_equal_stacks),
		TEST(rows_are_merged),
		TEST(equal_hashes_are_not_equal_rows),
		TEST(numbers_stay_at_the_largest),
		TEST(many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
