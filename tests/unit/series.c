/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bpf/kern/slices.h"
#include "lib/util.h"
#include "model/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static struct series_pool pool;

/* Adds one event with SUM in SLICE. */
static uint32_t add(uint32_t number, uint32_t slice, uint64_t count, uint64_t sum)
{
	return series_add(&pool, number, &(struct series_item){slice, 0, count, sum});
}

static void assert_item(
	const struct series_item *item, uint32_t slice, uint64_t count, uint64_t sum)
{
	assert_int_equal(item->slice, slice);
	assert_int_equal(item->more, 0);
	assert_int_equal(item->count, count);
	assert_int_equal(item->sum, sum);
}

/* Slices come back in ascending order, each once, whatever the order in which they were added. */
static void series__order(void **state)
{
	size_t nr;

	(void)state;
	series_init(&pool);
	uint32_t one = add(0, 7, 1, 1), two = add(0, 1, 5, 5000);

	assert_int_equal(add(one, 7, 2, 2), one);
	add(one, 3, 1, 100);
	add(two, UINT32_MAX, UINT64_MAX, UINT64_MAX);
	add(one, 7, 1, 1);
	add(two, 1, 1, UINT64_MAX);
	struct series_item *list = series_list(&pool, one, &nr);

	assert_int_equal(nr, 2);
	assert_item(&list[0], 3, 1, 100);
	assert_item(&list[1], 7, 4, 4);
	free(list);
	list = series_list(&pool, two, &nr);
	assert_int_equal(nr, 2);
	assert_item(&list[0], 1, 6, UINT64_MAX);
	assert_item(&list[1], UINT32_MAX, UINT64_MAX, UINT64_MAX);
	free(list);
	assert_null(series_list(&pool, 0, &nr));
	assert_int_equal(nr, 0);
	series_release(&pool);
}

/* Equal slices in a row are one item, and overlapping items add up. */
static void series__runs(void **state)
{
	size_t nr;

	(void)state;
	series_init(&pool);
	uint32_t number = add(0, 1, 0, 50);

	for (uint32_t slice = 2; slice <= 1000000; slice++)
		add(number, slice, 0, 50);
	assert_int_equal(pool.nr_chunks, 1); /* nothing had to be encoded */
	series_add(&pool, number, &(struct series_item){10, 89, 1, 2});
	struct series_item *list = series_list(&pool, number, &nr);

	assert_int_equal(nr, 1000000);
	assert_item(&list[8], 9, 0, 50);
	assert_item(&list[9], 10, 1, 52);
	assert_item(&list[98], 99, 1, 52);
	assert_item(&list[99], 100, 0, 50);
	free(list);
	series_release(&pool);
}

/* Many series grow in turns, and are copied to another pool. */
static void series__many(void **state)
{
	enum { SERIES = 50, ITEMS = 2000 };
	struct series_pool copy = {0};
	uint64_t seed = 1;

	(void)state;
	series_init(&pool);
	for (uint32_t i = 0; i < ITEMS; i++)
		for (uint32_t k = 1; k <= SERIES; k++) {
			seed = hash_u64(seed);
			assert_int_equal(
				add(i ? k : 0, 2 * i + 1, seed % 3, seed >> (seed % 64)), k);
		}
	seed = 1;
	for (uint32_t k = 1; k <= SERIES; k++)
		assert_int_equal(series_add_all(&copy, 0, &pool, k), k);
	struct series_reader r[SERIES + 1];

	for (uint32_t k = 1; k <= SERIES; k++)
		r[k] = series_read(&copy, k);
	for (uint32_t i = 0; i < ITEMS; i++)
		for (uint32_t k = 1; k <= SERIES; k++) {
			seed = hash_u64(seed);
			assert_true(series_next(&r[k]));
			assert_item(&r[k].item, 2 * i + 1, seed % 3, seed >> (seed % 64));
		}
	for (uint32_t k = 1; k <= SERIES; k++)
		assert_false(series_next(&r[k]));
	series_release(&copy);
	series_release(&pool);
}

/* A time is shared out over its slices without a rest, and counts once. */
static void slices__shares(void **state)
{
	const struct slices s = {1000, 100};
	static const struct {
		uint64_t since, end;
		struct slice_part parts[SLICE_PARTS_MAX];
	} cases[] = {
		{1010, 1060, {{1, 0, 50, true}}},
		{1010, 1110, {{1, 0, 90, false}, {2, 0, 10, true}}},
		{1010, 1450, {{1, 0, 90, false}, {2, 2, 300, false}, {5, 0, 50, true}}},
		{1100, 1400, {{2, 2, 300, false}, {5, 0, 0, true}}},
		{900, 1250, {{1, 0, 200, false}, {2, 0, 100, false}, {3, 0, 50, true}}},
		{1000, 1000, {{1, 0, 0, true}}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t since = cases[i].since;

		for (size_t k = 0;; k++) {
			struct slice_part part = slice_next(s, &since, cases[i].end);
			const struct slice_part *want = &cases[i].parts[k];

			assert_int_equal(part.slice, want->slice);
			assert_int_equal(part.more, want->more);
			assert_int_equal(part.ns, want->ns);
			assert_int_equal(part.is_last, want->is_last);
			if (part.is_last)
				break;
		}
		assert_int_equal(since, cases[i].end);
	}
	assert_int_equal(slice_at((struct slices){1000, 0}, 5000), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(series__order),
		cmocka_unit_test(series__runs),
		cmocka_unit_test(series__many),
		cmocka_unit_test(slices__shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
