/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/blob_id.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Git prints these for the same bytes. */
static void blob_id__is_the_one_of_git(void **state)
{
	char id[BLOB_ID + 1];

	(void)state;
	blob_id("", 0, id);
	assert_string_equal(id, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
	blob_id("hello\n", 6, id);
	assert_string_equal(id, "ce013625030ba8dba906f756967f9e9ca394464a");
}

/* The padding depends on the length. */
static void blob_id__takes_any_length(void **state)
{
	enum { LENGTHS = 200 };
	char *text = xcalloc(LENGTHS, 1), *ids = xcalloc(LENGTHS, BLOB_ID + 1), id[BLOB_ID + 1];

	(void)state;
	memset(text, 'a', LENGTHS);
	for (size_t i = 0; i < LENGTHS; i++)
		blob_id(text, i, ids + i * BLOB_ID);
	blob_id(ids, LENGTHS * (size_t)BLOB_ID, id);
	assert_string_equal(id, "53f063e981f026d2a3bdcecaef6aa8a1890adfac");
	free(text);
	free(ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blob_id__is_the_one_of_git),
		cmocka_unit_test(blob_id__takes_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
