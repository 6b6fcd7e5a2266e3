/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol/answer.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void fill(struct strbuf *bytes)
{
	struct answer a;

	answer_init(&a);
	a.head.source = SOURCE_DEBUG;
	a.head.has_debuginfo = 1;
	strcpy(a.head.detail, "because");
	answer_begin(&a, 3);
	answer_add(&a, "inner", 0, "a.c", 12);
	answer_add(&a, "outer", 16, "a.c", 40);
	answer_begin(&a, 0);
	answer_add(&a, "inner", 5, NULL, 0);
	answer_write(&a, bytes);
	answer_release(&a);
}

static void answer__reads_what_was_written(void **state)
{
	struct strbuf bytes = STRBUF_INIT;
	struct answer a;

	(void)state;
	fill(&bytes);
	answer_init(&a);
	assert_int_equal(answer_read(&a, &bytes), 0);
	assert_int_equal(a.head.source, SOURCE_DEBUG);
	assert_string_equal(a.head.detail, "because");
	assert_int_equal(a.head.nr_frames, 2);
	assert_int_equal(a.frames[0].place, 3);
	assert_int_equal(a.frames[0].nr, 2);
	const struct answer_name *names = a.names + a.frames[0].first;

	assert_string_equal(strpool_get(&a.strings, names[0].function), "inner");
	assert_string_equal(strpool_get(&a.strings, names[1].function), "outer");
	assert_int_equal(names[0].file, names[1].file);
	assert_int_equal(names[1].line, 40);
	assert_int_equal(names[1].offset, 16);
	assert_int_equal(a.names[a.frames[1].first].file, 0);
	answer_release(&a);
	strbuf_release(&bytes);
}

static bool reads(const char *bytes, size_t len)
{
	/* of just that size, so that a sanitizer sees what reads beyond */
	char *copy = xmalloc(len + 1);
	struct strbuf in = {copy, len, len + 1};
	struct answer a;

	memcpy(copy, bytes, len);
	copy[len] = '\0';
	answer_init(&a);
	bool ok = !answer_read(&a, &in);

	answer_release(&a);
	free(copy);
	return ok;
}

/* Every beginning is refused, and no changed byte leads outside. */
static void answer__believes_nothing(void **state)
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
		cmocka_unit_test(answer__reads_what_was_written),
		cmocka_unit_test(answer__believes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
