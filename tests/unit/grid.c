/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/grid.h"
#include "lib/format/histogram.h"
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

static void write__text_that_fits_with_the_name_last(void **state)
{
	struct strbuf out = STRBUF_INIT;
	size_t widths[3] = {0};
	struct grid l;

	(void)state;
	fill(&l);
	l.name = 1;
	l.width_max = 20;
	l.widths = widths;
	grid_write(&l, GRID_TEXT, &out);
	assert_string_equal(out.buf, "name    what  bytes\n"
				     "a\\x0ab  -     12345\n"
				     "=\"c\"    last    1.2\n");
	grid_release(&l);
	strbuf_reset(&out);
	grid_init(&l, columns, ARRAY_LEN(columns));
	l.name = 1;
	l.width_max = 20;
	l.widths = widths;
	l.without_heading = true;
	grid_adds(&l, "b");
	grid_adds(&l, "a name that is too long");
	grid_adds(&l, "x");
	grid_write(&l, GRID_TEXT, &out);
	assert_string_equal(out.buf, "b       x     a na...ong\n");
	grid_release(&l);
	strbuf_release(&out);
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

static void add_bound(struct grid *g, uint64_t bound, const void *context)
{
	(void)context;
	grid_addu(g, bound);
}

static void histogram__bars_in_text_only(void **state)
{
	static const char *const names[HISTOGRAM_COLUMNS] = {"from", "to", "count", "events"};
	static const struct distribution_octave octaves[] = {
		{1, 2, 1}, {2, 4, 0}, {4, 8, 1000}, {8, 16, 125}};
	struct strbuf out = STRBUF_INIT;
	struct grid g;

	(void)state;
	histogram_list(&g, names, octaves, ARRAY_LEN(octaves), GRID_TEXT, add_bound, NULL);
	grid_write(&g, GRID_TEXT, &out);
	assert_string_equal(out.buf, "from  to  count  events\n"
				     "   1   2      1  *\n"
				     "   2   4      0   \n"
				     "   4   8   1000  ****************************************\n"
				     "   8  16    125  *****\n");
	grid_release(&g);
	strbuf_reset(&out);
	histogram_list(&g, names, octaves, 1, GRID_CSV, add_bound, NULL);
	grid_write(&g, GRID_CSV, &out);
	assert_string_equal(out.buf, "from,to,count\n1,2,1\n");
	grid_release(&g);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(write__text_in_columns),
		cmocka_unit_test(write__text_that_fits_with_the_name_last),
		cmocka_unit_test(write__csv_quoted),
		cmocka_unit_test(write__json_without_what_is_empty),
		cmocka_unit_test(write__nothing),
		cmocka_unit_test(histogram__bars_in_text_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
