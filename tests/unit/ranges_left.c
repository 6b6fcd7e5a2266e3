/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/util.h"
#include "tool/mmap/ranges_left.h"
#include "engine/bpf/drain.h"
#include "tool/mmap/mmap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { NR = 400, PIECES = 200, PROCESSES = 3, BASE = 1000 };

static struct span_key keys[NR];
static struct span values[NR];

/* Sets span I, which begins at the time SINCE. */
static void set(uint32_t i, uint32_t tgid, uint64_t start, uint64_t length, uint64_t since,
	enum range_part part)
{
	keys[i] = (struct span_key){start, tgid, part};
	memset(&values[i], 0, sizeof(values[i]));
	values[i].word[RANGE_LENGTH] = length;
	values[i].since = since;
}

static void ranges_left__replaced(void **state)
{
	struct drain_spans spans = {keys, values, 4};
	uint64_t left[4];

	(void)state;
	set(0, 1, BASE, 100, 30, RANGE_UNMAPPED);
	set(1, 1, BASE - 10, 200, 10, RANGE_MAPPED);
	set(2, 1, BASE + 20, 20, 40, RANGE_MAPPED | RANGE_REST);
	set(3, 2, BASE, 100, 20, RANGE_MAPPED); /* of another process */
	ranges_left(&spans, left);
	assert_int_equal(left[0], 0);
	assert_int_equal(left[1], 100);
	assert_int_equal(left[2], 20);
	assert_int_equal(left[3], 100);
}

static void ranges_left__none(void **state)
{
	struct drain_spans spans = {0};
	uint64_t left[1] = {7};

	(void)state;
	ranges_left(&spans, left);
	assert_int_equal(left[0], 7);
}

/* Whose is each byte? The spans begin in the order of their numbers. */
static void paint(uint64_t *left)
{
	static uint32_t owner[PROCESSES][BASE + 2 * PIECES];

	memset(owner, 0, sizeof(owner));
	memset(left, 0, NR * sizeof(*left));
	for (uint32_t i = 0; i < NR; i++)
		for (uint64_t k = 0; k < values[i].word[RANGE_LENGTH]; k++)
			owner[keys[i].tgid][keys[i].id + k] = i + 1;
	for (uint32_t tgid = 0; tgid < PROCESSES; tgid++)
		for (uint32_t at = 0; at < ARRAY_LEN(owner[0]); at++)
			if (owner[tgid][at] && !(keys[owner[tgid][at] - 1].part & RANGE_UNMAPPED))
				left[owner[tgid][at] - 1]++;
}

static void ranges_left__as_painted(void **state)
{
	struct drain_spans spans = {keys, values, NR};
	uint64_t left[NR], painted[NR];

	(void)state;
	srand(1);
	for (int round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < NR; i++)
			set(i, (uint32_t)(rand() % PROCESSES), BASE + (uint64_t)(rand() % PIECES),
				1 + (uint64_t)(rand() % PIECES), i,
				rand() % 3 ? RANGE_MAPPED : RANGE_UNMAPPED);
		paint(painted);
		ranges_left(&spans, left);
		assert_memory_equal(left, painted, sizeof(left));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_left__replaced),
		cmocka_unit_test(ranges_left__none),
		cmocka_unit_test(ranges_left__as_painted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
