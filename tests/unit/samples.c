/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/samples.h"
#include "lib/hash.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct samples samples;

static int set_up(void **state)
{
	(void)state;
	samples_init(&samples);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	samples_release(&samples);
	return 0;
}

static void samples__equal_stacks_have_one_number(void **state)
{
	const uint64_t a[] = {1, 2, 3}, b[] = {1, 2, 4};
	uint32_t first = samples_stack(&samples, a, 3, STACK_USER, WALK_ROOT);

	(void)state;
	assert_true(first);
	assert_int_equal(samples_stack(&samples, a, 3, STACK_USER, WALK_ROOT), first);
	const uint32_t others[] = {
		samples_stack(&samples, b, 3, STACK_USER, WALK_ROOT),
		samples_stack(&samples, a, 2, STACK_USER, WALK_ROOT),
		samples_stack(&samples, a + 1, 2, STACK_USER, WALK_ROOT),
		samples_stack(&samples, a, 3, STACK_KERNEL, WALK_ROOT),
		samples_stack(&samples, a, 3, STACK_USER, WALK_DEEP),
		samples_stack(&samples, a, 0, STACK_USER, WALK_ROOT),
	};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_int_equal(others[i], first + 1 + i);
	assert_int_equal(samples_stack(&samples, a, 0, STACK_USER, WALK_ROOT), others[5]);
	assert_int_equal(samples.nr_stacks, 8);
	assert_int_equal(samples.stacks[others[3]].kind, STACK_KERNEL);
	assert_int_equal(samples.stacks[others[4]].end, WALK_DEEP);
	assert_memory_equal(samples.frames + samples.stacks[first].first, a, sizeof(a));
}

/* Words 0, 2, 4 … are mixed with the key before the multiplication. A word equal to the key makes a
 * factor 0, so that words before or beside it have no effect. */
static uint64_t hash_of(const void *p, size_t size)
{
	return hash_text(p, size);
}

static void samples__equal_hashes_are_not_equal_stacks(void **state)
{
	uint64_t frames[6] = {0, 0, 0, 0, hash_key[1]}, hash = hash_of(frames, sizeof(frames));
	uint32_t id[1000];

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < ARRAY_LEN(id); i++) {
			frames[i % 4] = i;
			frames[5] = i;
			assert_int_equal(hash_of(frames, sizeof(frames)), hash);
			uint32_t number = samples_stack(
				&samples, frames, 6, i & 1 ? STACK_KERNEL : STACK_USER, WALK_ROOT);

			if (round)
				assert_int_equal(number, id[i]);
			id[i] = number;
			frames[i % 4] = 0;
		}
	assert_int_equal(samples.nr_stacks, 1 + ARRAY_LEN(id));
	assert_int_equal(samples.by_stack.nr, 2); /* user and kernel */
}

static void samples__tasks_names_and_labels_have_one_number(void **state)
{
	uint32_t main_name = strpool_adds(&samples.strings, "main");
	uint32_t file = strpool_adds(&samples.strings, "a.pl");
	const struct sample_name names[] = {{1, main_name, file, 0, false, 7, 0},
		{2, main_name, file, 0, false, 7, 0}, {1, file, main_name, 0, false, 7, 0},
		{1, main_name, file, 0, false, 8, 0}, {1, main_name, file, 0, false, 7, 5},
		{1, main_name, file, main_name, false, 7, 0},
		{1, main_name, file, main_name, true, 7, 0}, {1, 0, 0, 0, false, 0, 0}};

	(void)state;
	for (int round = 0; round < 2; round++) {
		assert_int_equal(samples_task(&samples, 4, 5, 7, "a"), 0);
		assert_int_equal(samples_task(&samples, 4, 5, 7, "b"), 1);
		assert_int_equal(samples_task(&samples, 4, 5, 8, "a"), 2);
		assert_int_equal(samples_task(&samples, 4, 6, 7, "a"), 3);
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
			assert_int_equal(samples_name(&samples, &names[i]), i);
		uint32_t sleeps = samples_label(&samples, 0, "state", "S");
		uint32_t cart = samples_label(&samples, 0, "uri", "/cart");

		assert_int_equal(sleeps, 1);
		assert_int_equal(cart, 2);
		assert_int_equal(samples_label(&samples, sleeps, "uri", "/cart"), 3);
		assert_int_equal(samples_label(&samples, cart, "state", "S"), 4);
	}
	assert_int_equal(samples.labels[3].others, 1);
	assert_int_equal(samples.nr_tasks, 4);
	assert_int_equal(samples.nr_labels, 5);
}

static void samples__pending_stacks_become_others(void **state)
{
	const uint64_t frame = 1;
	uint32_t first = samples_pending(&samples), second = samples_pending(&samples);
	uint32_t never = samples_pending(&samples);
	uint32_t stack = samples_stack(&samples, &frame, 1, STACK_USER, WALK_ROOT);

	(void)state;
	assert_true(first != second && second != never);
	assert_int_equal(samples_actual(&samples, stack), stack);
	assert_int_equal(samples_actual(&samples, first), 0);
	samples_set_pending(&samples, second, stack);
	samples_set_pending(&samples, first, second);
	samples_set_pending(&samples, never, 0);
	assert_int_equal(samples_actual(&samples, first), stack);
	assert_int_equal(samples_actual(&samples, second), stack);
	assert_int_equal(samples_actual(&samples, never), 0);
}

static void samples__rows_are_merged(void **state)
{
	struct sample_key keys[8];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		keys[i] = (struct sample_key){.task = 4, .user = 1, .kernel = 9};
	keys[1].user = 2;
	keys[2].task = 5;
	keys[3].labels = 1;
	keys[4].event = 1;
	keys[5].event = 2;
	keys[6].kernel = 0;
	keys[7].vm = 3;
	for (uint64_t round = 1; round <= 10; round++)
		for (size_t i = 0; i < ARRAY_LEN(keys); i++)
			samples_add(&samples, &keys[i], round, 1000 * i);
	assert_int_equal(samples.nr_rows, 1 + ARRAY_LEN(keys));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		assert_memory_equal(&samples.rows[1 + i].key, &keys[i], sizeof(keys[i]));
		assert_int_equal(samples.rows[1 + i].count, 55);
		assert_int_equal(samples.rows[1 + i].sum, 10000 * i);
	}
}

/* All rows of a task are in one hash chain. */
static void samples__equal_hashes_are_not_equal_rows(void **state)
{
	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			struct sample_key key = {.labels = i};
			bool is_new;

			if (!round) {
				uint64_t hash = hash_of(&key, sizeof(key));

				*table_put(&samples.by_row, hash, 0, &is_new) =
					(uint32_t)samples.nr_rows - 1;
			}
			samples_add(&samples, &key, 1, i);
		}
	assert_int_equal(samples.nr_rows, 1001);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(samples.rows[1 + i].key.labels, i);
		assert_int_equal(samples.rows[1 + i].count, 2);
		assert_int_equal(samples.rows[1 + i].sum, 2 * i);
	}
}

static void samples__numbers_stay_at_the_largest(void **state)
{
	const struct sample_key key = {.user = 1};

	(void)state;
	samples_add(&samples, &key, UINT64_MAX - 1, 1);
	samples_add(&samples, &key, 1, UINT64_MAX - 2);
	assert_int_equal(samples.rows[1].count, UINT64_MAX);
	assert_int_equal(samples.rows[1].sum, UINT64_MAX - 1);
	samples_add(&samples, &key, 5, 5);
	assert_int_equal(samples.rows[1].count, UINT64_MAX);
	assert_int_equal(samples.rows[1].sum, UINT64_MAX);
}

enum { MANY = 1000000 };

/* Makes the I-th of many stacks, some of which differ only in their first or last frame. */
static uint32_t make_stack(uint64_t *frames, uint32_t i)
{
	uint32_t nr = 2 + i % 7;

	for (uint32_t k = 0; k < nr; k++)
		frames[k] = 1ULL << 41 | k;
	frames[i & 1 ? 0 : nr - 1] |= (uint64_t)i << 8;
	return nr;
}

/* Asserts that ITEM has SLICE, COUNT and SUM, and is of one slice. */
static void assert_item(
	const struct series_item *item, uint32_t slice, uint64_t count, uint64_t sum)
{
	assert_int_equal(item->slice, slice);
	assert_int_equal(item->count, count);
	assert_int_equal(item->sum, sum);
}

/* When slices are merged, earlier and later items belong to the same longer slices. */
static void samples__slices_are_merged(void **state)
{
	const struct sample_key key = {.user = 1};
	size_t nr;

	(void)state;
	samples.slices.ns = 10;
	samples_add_at(&samples, &key, &(struct series_item){1, 0, 1, 5});
	samples_add_at(&samples, &key, &(struct series_item){2, 3, 0, 10});
	samples_halve_slices(&samples);
	assert_int_equal(samples.slices.ns, 20);
	assert_int_equal(samples.slices.nr, 3);
	samples_add_at(&samples, &key, &(struct series_item){6, 1, 2, 7});
	samples_halve_slices(&samples);
	assert_int_equal(samples.slices.ns, 40);
	assert_int_equal(samples.slices.nr, 2);
	struct series_item *list = series_list(&samples.series, samples.rows[1].series, &nr);

	assert_int_equal(nr, 2);
	assert_item(&list[0], 1, 1, 35);
	assert_item(&list[1], 2, 4, 24);
	assert_int_equal(samples.rows[1].count, 5);
	assert_int_equal(samples.rows[1].sum, 59);
	free(list);
}

static void samples__old_slices_are_forgotten(void **state)
{
	const struct sample_key one = {.user = 1}, two = {.user = 2};
	size_t nr;

	(void)state;
	samples.slices.ns = 10;
	samples_add_at(&samples, &one, &(struct series_item){1, 0, 1, 5});
	samples_add_at(&samples, &one, &(struct series_item){2, 6, 0, 10});
	samples_add_at(&samples, &two, &(struct series_item){3, 0, 4, 4});
	samples_forget(&samples, 4);
	assert_int_equal(samples.rows[1].count, 0);
	assert_int_equal(samples.rows[1].sum, 40);
	assert_true(samples_forgot(&samples.rows[2]));
	samples_add_at(&samples, &two, &(struct series_item){9, 0, 1, 1});
	assert_false(samples_forgot(&samples.rows[2]));
	struct series_item *list = series_list(&samples.series, samples.rows[1].series, &nr);

	assert_int_equal(nr, 4);
	assert_item(&list[0], 5, 0, 10);
	assert_int_equal(samples.slices.nr, 9);
	assert_int_equal(samples.forgotten, 4);
	free(list);
	samples_add_at(&samples, &two, &(struct series_item){2, 7, 0, 10});
	samples_forget(&samples, 4);
	assert_int_equal(samples.rows[2].sum, 1 + 50);
}

static void samples__many(void **state)
{
	uint64_t frames[8];

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t nr = make_stack(frames, i);
		struct sample_key key = {
			.user = samples_stack(&samples, frames, nr, STACK_USER, WALK_ROOT),
			.task = i % 100};

		assert_int_equal(key.user, i + 1);
		samples_add(&samples, &key, i, 1);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t nr = make_stack(frames, i),
			 id = samples_stack(&samples, frames, nr, STACK_USER, WALK_ROOT);
		const struct sample_stack *s = &samples.stacks[id];

		assert_int_equal(id, i + 1);
		assert_int_equal(s->nr, nr);
		assert_memory_equal(samples.frames + s->first, frames, nr * sizeof(*frames));
		assert_int_equal(samples.rows[1 + i].key.user, id);
		assert_int_equal(samples.rows[1 + i].count, i);
	}
	assert_int_equal(samples.nr_stacks, 1 + MANY);
	assert_int_equal(samples.nr_rows, 1 + MANY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(samples__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(equal_stacks_have_one_number),
		TEST(equal_hashes_are_not_equal_stacks),
		TEST(tasks_names_and_labels_have_one_number),
		TEST(pending_stacks_become_others),
		TEST(rows_are_merged),
		TEST(equal_hashes_are_not_equal_rows),
		TEST(numbers_stay_at_the_largest),
		TEST(slices_are_merged),
		TEST(old_slices_are_forgotten),
		TEST(many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
