/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* A single event is known exactly, and the bounds of several follow from their sum. */
static void ranges__bounds(void **state)
{
	struct ranges r;

	(void)state;
	ranges_init(&r);
	ranges_add(&r, "a", 1, "1024", 1, 1050);
	assert_int_equal(r.total.min, 1050);
	assert_int_equal(r.total.max, 1050);
	ranges_add(&r, "b", 1, "4096", 2, 4096 + 4100);
	assert_int_equal(r.total.max, 4100);
	assert_int_equal(r.total.min, 1050);
	ranges_add(&r, "b", 1, "3", 5, 15);
	assert_int_equal(r.total.min, 3);
	assert_int_equal(r.total.count, 8);
	assert_int_equal(r.total.sum, 1050 + 8196 + 15);
	/* a sum that the range does not allow */
	ranges_add(&r, "c", 1, "16", 3, 5);
	ranges_add(&r, "c", 1, "16", 3, UINT64_MAX);
	ranges_add(&r, "c", 1, "18446744073709551615", UINT64_MAX, 1);
	ranges_add(&r, "c", 1, "none", 7, 7);
	ranges_add(&r, "c", 1, "16", 0, 0);
	assert_int_equal(r.unknown, 7);
	ranges_release(&r);
}

static void ranges__groups(void **state)
{
	struct ranges r, other;
	size_t nr;

	(void)state;
	ranges_init(&r);
	ranges_init(&other);
	ranges_add(&r, "small", 5, "8", 1, 8);
	ranges_add(&r, "large", 5, "32", 2, 66);
	ranges_add(&other, "large", 5, "32", 1, 33);
	ranges_add(&other, "new", 3, "64", 1, 64);
	ranges_merge(&r, &other);
	uint32_t *order = ranges_order(&r, &nr);

	assert_int_equal(nr, 3);
	assert_string_equal(strpool_get(&r.values, order[0]), "large");
	assert_int_equal(r.groups[order[0]].count, 3);
	assert_int_equal(r.groups[order[0]].sum, 99);
	assert_string_equal(strpool_get(&r.values, order[1]), "new");
	assert_string_equal(strpool_get(&r.values, order[2]), "small");
	assert_int_equal(r.total.count, 5);
	assert_int_equal(r.total.sum, 171);
	assert_int_equal(r.total.max, 64);
	free(order);
	ranges_release(&r);
	ranges_release(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges__bounds),
		cmocka_unit_test(ranges__groups),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
