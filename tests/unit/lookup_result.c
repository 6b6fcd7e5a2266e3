/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/lookup_result.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void fill(struct strbuf *bytes)
{
	struct lookup_result result;

	lookup_result_init(&result);
	result.header.source = SOURCE_DEBUG;
	result.header.has_debuginfo = 1;
	strcpy(result.header.detail, "because");
	lookup_result_begin(&result, 3);
	lookup_result_add(&result, "inner", 0, "a.c", 12);
	lookup_result_add(&result, "outer", 16, "a.c", 40);
	lookup_result_begin(&result, 0);
	lookup_result_add(&result, "inner", 5, NULL, 0);
	lookup_result_write(&result, bytes);
	lookup_result_release(&result);
}

static void lookup_result__reads_what_was_written(void **state)
{
	struct strbuf bytes = STRBUF_INIT;
	struct lookup_result result;

	(void)state;
	fill(&bytes);
	lookup_result_init(&result);
	assert_int_equal(lookup_result_read(&result, &bytes), 0);
	assert_int_equal(result.header.source, SOURCE_DEBUG);
	assert_string_equal(result.header.detail, "because");
	assert_int_equal(result.header.nr_frames, 2);
	assert_int_equal(result.frames[0].location, 3);
	assert_int_equal(result.frames[0].nr, 2);
	const struct lookup_name *names = result.names + result.frames[0].first;

	assert_string_equal(strpool_get(&result.strings, names[0].function), "inner");
	assert_string_equal(strpool_get(&result.strings, names[1].function), "outer");
	assert_int_equal(names[0].file, names[1].file);
	assert_int_equal(names[1].line, 40);
	assert_int_equal(names[1].offset, 16);
	assert_int_equal(result.names[result.frames[1].first].file, 0);
	lookup_result_release(&result);
	strbuf_release(&bytes);
}

static bool reads(const char *bytes, size_t len)
{
	/* of exactly that size, so that a sanitizer notices reads behind it */
	char *copy = xmalloc(len + 1);
	struct strbuf in = {copy, len, len + 1};
	struct lookup_result result;

	memcpy(copy, bytes, len);
	copy[len] = '\0';
	lookup_result_init(&result);
	bool ok = !lookup_result_read(&result, &in);

	lookup_result_release(&result);
	free(copy);
	return ok;
}

/* Every prefix is rejected, and no changed byte leads outside. */
static void lookup_result__refuses_malformed_input(void **state)
{
	struct strbuf bytes = STRBUF_INIT;

	(void)state;
	fill(&bytes);
	assert_true(reads(bytes.buf, bytes.len));
	for (size_t len = 0; len < bytes.len; len++)
		assert_false(reads(bytes.buf, len));
	for (size_t i = 0; i < bytes.len; i++)
		for (int value = 0; value < 256; value += 15) {
			char was = bytes.buf[i];

			bytes.buf[i] = (char)value;
			reads(bytes.buf, bytes.len);
			bytes.buf[i] = was;
		}
	strbuf_addch(&bytes, 'x');
	assert_false(reads(bytes.buf, bytes.len));
	strbuf_release(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookup_result__reads_what_was_written),
		cmocka_unit_test(lookup_result__refuses_malformed_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
