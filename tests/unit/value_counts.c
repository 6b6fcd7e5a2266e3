/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/value_counts.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t count_of(struct value_counts *c, const char *value)
{
	uint32_t id = strpool_adds(&c->values, value);

	return id < c->alloc ? c->counts[id] : 0;
}

static void value_counts__add_up(void **state)
{
	struct value_counts c;
	char value[16];

	(void)state;
	value_counts_init(&c);
	for (int i = 0; i < 1000; i++) {
		snprintf(value, sizeof(value), "/%d", i % 100);
		value_counts_add(&c, value, strlen(value), 2);
	}
	value_counts_add(&c, "", 0, 5);
	value_counts_add(&c, "/7", 2, UINT64_MAX);
	assert_int_equal(c.values.nr, 101); /* with the empty one */
	assert_int_equal(count_of(&c, "/8"), 20);
	assert_int_equal(count_of(&c, ""), 5);
	assert_int_equal(count_of(&c, "/7"), UINT64_MAX);
	value_counts_release(&c);
}

static void value_counts__of_the_same_unit_only(void **state)
{
	struct value_counts a, b;

	(void)state;
	value_counts_init(&a);
	value_counts_init(&b);
	a.unit = xstrdup("requests");
	value_counts_add(&a, "x", 1, 3);
	b.unit = xstrdup("requests");
	value_counts_add(&b, "x", 1, 3);
	value_counts_merge(&a, &b);
	assert_int_equal(count_of(&a, "x"), 6);
	assert_false(a.partial);
	free(b.unit);
	b.unit = xstrdup("jobs");
	value_counts_merge(&a, &b);
	assert_string_equal(a.unit, "requests");
	assert_int_equal(count_of(&a, "x"), 6);
	assert_true(a.partial);
	value_counts_release(&a);
	value_counts_release(&b);
}

/* The values may come in any order. */
static void value_counts__of_a_part(void **state)
{
	struct value_counts none, some, more;

	(void)state;
	value_counts_init(&none);
	value_counts_init(&some);
	value_counts_init(&more);
	value_counts_merge(&none, &more);
	assert_null(none.unit);
	assert_false(none.partial);
	some.unit = xstrdup("requests");
	value_counts_add(&some, "x", 1, 3);
	value_counts_merge(&none, &some);
	assert_string_equal(none.unit, "requests");
	assert_int_equal(count_of(&none, "x"), 3);
	assert_true(none.partial);
	value_counts_merge(&some, &more);
	assert_int_equal(count_of(&some, "x"), 3);
	assert_true(some.partial);
	value_counts_copy(&more, &some);
	assert_string_equal(more.unit, "requests");
	assert_int_equal(count_of(&more, "x"), 3);
	assert_true(more.partial);
	value_counts_release(&none);
	value_counts_release(&some);
	value_counts_release(&more);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value_counts__add_up),
		cmocka_unit_test(value_counts__of_the_same_unit_only),
		cmocka_unit_test(value_counts__of_a_part),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
