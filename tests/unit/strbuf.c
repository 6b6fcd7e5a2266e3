/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_empty_is_a_string(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.buf, "");
	strbuf_add(&sb, "", 0);
	strbuf_reset(&sb);
	assert_string_equal(sb.buf, "");
	strbuf_release(&sb);
	assert_string_equal(sb.buf, "");
}

static void test_adds_everything(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_adds(&sb, "a");
	strbuf_addch(&sb, 'b');
	strbuf_addf(&sb, "%d-%s", 7, "x");
	strbuf_addu(&sb, 0);
	strbuf_addu(&sb, UINT64_MAX);
	strbuf_add(&sb, "\0z", 2);
	assert_int_equal(sb.len, 2 + 3 + 1 + 20 + 2);
	assert_memory_equal(sb.buf, "ab7-x018446744073709551615\0z", sb.len + 1);
	strbuf_release(&sb);
}

static void test_grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 10000; i++)
		strbuf_addf(&sb, "%04d", i);
	assert_int_equal(sb.len, 40000);
	assert_memory_equal(sb.buf + 4 * 1302, "1302", 4);
	strbuf_release(&sb);
}

static void test_detach_empties(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	char *none = strbuf_detach(&sb);

	assert_string_equal(none, "");
	free(none);
	strbuf_adds(&sb, "text");
	char *text = strbuf_detach(&sb);

	assert_string_equal(text, "text");
	assert_int_equal(sb.len, 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_is_a_string),
		cmocka_unit_test(test_adds_everything),
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_detach_empties),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
