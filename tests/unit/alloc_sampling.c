/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of allocations: their distances, and weights that are right on average. */
#include "tool/alloc/alloc_sampling.h"
#include "lib/util.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { TRIES = 4096 }; /* random numbers, which are evenly distributed */

static const uint64_t everys[] = {2, 3, 16, 100, 5000, 1 << 17, SAMPLE_EVERY_MAX};

static uint64_t random_number(uint64_t i)
{
	return i * 0x9e3779b97f4a7c15ULL + 0x123456789abcdef;
}

/* Checks that IS and SHOULD_BE differ by at most ROUNDING and a millionth. */
static void assert_near(double is, double should_be, double rounding)
{
	if (fabs(is - should_be) > rounding + 1e-6 * fabs(should_be))
		fail_msg("%.9g, not %.9g", is, should_be);
}

/* How many allocations of LENGTH bytes one that was taken stands for. */
static double truth(uint64_t length, uint64_t every)
{
	return 1 / -expm1(-(double)length / (double)every);
}

static void alloc_sampling__distances(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(everys); k++)
		for (uint64_t i = 0; i < TRIES; i++) {
			uint32_t random = (uint32_t)(i << 20 | i);
			double part = (random + 1.0) / 4294967296.0;

			assert_near((double)sample_distance(everys[k], random),
				-log(part) * (double)everys[k], 1 + 1e-6 * (double)everys[k]);
		}
	assert_int_equal(sample_distance(1000, UINT32_MAX), 0);
}

static void check_mean(uint64_t size, uint64_t every)
{
	uint64_t length = sample_length(size);
	double bytes = 0, calls = 0, all = truth(length, every);
	struct sample_weight weight;

	for (uint64_t i = 0; i < TRIES; i++) {
		sample_weigh(&weight, size, every, random_number(i));
		bytes += (double)weight.bytes;
		calls += (double)weight.calls;
		assert_near((double)weight.bytes, all * (double)size, 2);
		assert_near((double)weight.calls, all, 2);
	}
	assert_near(bytes / TRIES, all * (double)size, 0.04);
	assert_near(calls / TRIES, all, 0.04);
}

static void alloc_sampling__mean(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(everys); k++) {
		check_mean(0, everys[k]);
		for (uint64_t size = 1; size < 1ULL << 46; size += size / 3 + 1)
			check_mean(size, everys[k]);
	}
}

/* The square of the error is W (W - LENGTH) for a weight of W bytes. */
static void alloc_sampling__error(void **state)
{
	uint64_t every = 1 << 17;
	double unit = (double)every / (1 << SAMPLE_ERROR_BITS);

	(void)state;
	for (uint64_t size = SAMPLE_LEAST; size < every; size += size / 2) {
		double all = truth(size, every) * (double)size;
		struct sample_weight weight;

		sample_weigh(&weight, size, every, 0);
		double is = (double)weight.bytes_error * unit * unit;

		assert_true(fabs(is - all * (all - (double)size)) < 0.01 * all * all);
	}
}

static void alloc_sampling__all(void **state)
{
	struct sample_weight weight;

	(void)state;
	sample_weigh(&weight, 0, 1, 99);
	assert_int_equal(weight.bytes, 0);
	assert_int_equal(weight.calls, 1);
	sample_weigh(&weight, 12345, 1, 99);
	assert_int_equal(weight.bytes, 12345);
	assert_int_equal(weight.calls, 1);
	assert_int_equal(weight.bytes_error, 0);
	sample_weigh(&weight, 1 << 20, 100, UINT64_MAX);
	assert_int_equal(weight.bytes, 1 << 20);
	assert_int_equal(weight.calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(alloc_sampling__distances),
		cmocka_unit_test(alloc_sampling__mean),
		cmocka_unit_test(alloc_sampling__error),
		cmocka_unit_test(alloc_sampling__all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
