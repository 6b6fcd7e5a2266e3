/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/util.h"
#include "lib/distribution.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void add(struct distribution *d, uint64_t number)
{
	distribution_add(d, 1, number, number, number);
}

static void test_scale_is_gapless(void **state)
{
	(void)state;
	assert_int_equal(log_scale_bucket(0), 0);
	assert_int_equal(log_scale_bucket(UINT64_MAX), LOG_SCALE_BUCKETS - 1);
	for (uint32_t i = 0; i < LOG_SCALE_BUCKETS; i++) {
		uint64_t lowest = log_scale_lowest(i);

		assert_int_equal(log_scale_bucket(lowest), i);
		if (i)
			assert_int_equal(log_scale_bucket(lowest - 1), i - 1);
	}
}

static void test_buckets_are_narrow(void **state)
{
	(void)state;
	for (uint32_t i = 16; i + 1 < LOG_SCALE_BUCKETS; i++) {
		uint64_t lowest = log_scale_lowest(i);

		assert_true(log_scale_lowest(i + 1) - lowest <= lowest / 16);
	}
}

static void test_highest_bit(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 64; i++) {
		assert_int_equal(log_scale_bit(1ULL << i), i);
		assert_int_equal(log_scale_bit((1ULL << i) | ((1ULL << i) - 1)), i);
	}
	assert_int_equal(log_scale_bit(0), 0);
}

static void test_none(void **state)
{
	struct distribution d = {0};
	struct distribution_octave octaves[64];

	(void)state;
	distribution_add(&d, 0, 0, 0, 0);
	assert_int_equal(distribution_share(&d, 0.5), 0);
	assert_int_equal(distribution_octaves(&d, octaves), 0);
	assert_true(distribution_mean(&d) < 1e-9);
	distribution_release(&d);
}

static void test_few_are_exact(void **state)
{
	struct distribution d = {0};

	(void)state;
	for (uint64_t i = 1; i <= 10; i++)
		add(&d, i * 1000000);
	assert_int_equal(distribution_share(&d, 0.5), 5000000);
	assert_int_equal(distribution_share(&d, 0.9), 9000000);
	assert_int_equal(distribution_share(&d, 0.99), 10000000);
	assert_int_equal(distribution_share(&d, 1), 10000000);
	assert_int_equal(distribution_share(&d, 1e-9), 1000000);
	assert_int_equal(d.min, 1000000);
	assert_int_equal(d.max, 10000000);
	assert_int_equal(d.sum, 55000000);
	distribution_release(&d);
}

static int compare(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

static void test_many_are_near(void **state)
{
	enum { MANY = 100000 };
	static const double shares[] = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1};
	uint64_t *all = xcalloc(MANY, sizeof(*all));
	struct distribution d = {0};

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		all[i] =
			(uint64_t)exp((double)(hash_u64(i) % 1000000) * 2e-5); /* over 29 octaves */
		add(&d, all[i]);
	}
	qsort(all, MANY, sizeof(*all), compare);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++) {
		size_t rank = (size_t)ceil(shares[i] * MANY - 1e-6);
		double right = (double)all[rank - 1];
		double found = (double)distribution_share(&d, shares[i]);

		assert_true(fabs(found - right) <= right / 16);
	}
	distribution_release(&d);
	free(all);
}

static void test_added_at_once(void **state)
{
	struct distribution one = {0}, other = {0};

	(void)state;
	add(&one, 1000);
	add(&one, 1001);
	add(&one, 1010);
	distribution_add(&other, 3, 3011, 1000, 1010);
	assert_int_equal(one.sum, other.sum);
	assert_int_equal(one.count, other.count);
	assert_int_equal(distribution_share(&one, 0.3), distribution_share(&other, 0.3));
	assert_int_equal(distribution_share(&one, 1), distribution_share(&other, 1));
	distribution_release(&one);
	distribution_release(&other);
}

static void test_octaves(void **state)
{
	struct distribution d = {0};
	struct distribution_octave octaves[64];

	(void)state;
	add(&d, 5);
	add(&d, 7);
	add(&d, 16);
	assert_int_equal(distribution_octaves(&d, octaves), 3);
	assert_int_equal(octaves[0].from, 4);
	assert_int_equal(octaves[0].to, 8);
	assert_int_equal(octaves[0].count, 2);
	assert_int_equal(octaves[1].count, 0);
	assert_int_equal(octaves[2].from, 16);
	assert_int_equal(octaves[2].count, 1);
	distribution_release(&d);
	add(&d, 0);
	add(&d, UINT64_MAX);
	assert_int_equal(distribution_octaves(&d, octaves), 64);
	assert_int_equal(octaves[0].from, 0);
	assert_int_equal(octaves[63].count, 1);
	distribution_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scale_is_gapless),
		cmocka_unit_test(test_buckets_are_narrow),
		cmocka_unit_test(test_highest_bit),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_few_are_exact),
		cmocka_unit_test(test_many_are_near),
		cmocka_unit_test(test_added_at_once),
		cmocka_unit_test(test_octaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
