/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/grid.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const char *const columns[] = {"name", "bytes", "what"};

static void fill(struct grid *l)
{
	grid_init(l, columns, ARRAY_LEN(columns));
	grid_add(l, "a\nb", 3);
	grid_addu(l, 12345);
	grid_add_empty(l);
	grid_adds(l, "=\"c\"");
	grid_addf(l, 1.25, 1);
	grid_adds(l, "last");
}

static void check(enum grid_format format, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct grid l;

	fill(&l);
	grid_write(&l, format, &out);
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
	grid_release(&l);
}

static void write__text_in_columns(void **state)
{
	(void)state;
	check(GRID_TEXT, "name    bytes  what\n"
			 "a\\x0ab  12345  -\n"
			 "=\"c\"      1.2  last\n");
}

static void write__csv_quoted(void **state)
{
	(void)state;
	check(GRID_CSV, "name,bytes,what\n"
			"\"a\nb\",12345,\n"
			"\"'=\"\"c\"\"\",1.2,last\n");
}

static void write__json_without_what_is_empty(void **state)
{
	(void)state;
	check(GRID_JSON, "[\n{\"name\": \"a\\u000ab\", \"bytes\": 12345},\n"
			 "{\"name\": \"=\\\"c\\\"\", \"bytes\": 1.2, \"what\": \"last\"}]");
}

static void write__nothing(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct grid l;

	(void)state;
	grid_init(&l, columns, ARRAY_LEN(columns));
	grid_write(&l, GRID_JSON, &out);
	assert_string_equal(out.buf, "[]");
	strbuf_reset(&out);
	grid_write(&l, GRID_CSV, &out);
	assert_string_equal(out.buf, "name,bytes,what\n");
	strbuf_release(&out);
	grid_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write__text_in_columns),
		cmocka_unit_test(write__csv_quoted),
		cmocka_unit_test(write__json_without_what_is_empty),
		cmocka_unit_test(write__nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
