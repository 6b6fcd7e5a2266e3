/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/format/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct timeline_kind kinds[] = {{"all", "gray", false}, {"part", "red", true}};

static void fill(struct timeline *t)
{
	*t = (struct timeline){.title = "a < b", .kinds = kinds, .nr_kinds = 2};
	struct timeline_row *row = timeline_add_row(t, 1000, 1100);

	strbuf_adds(&row->name, "second");
	timeline_add_bar(row, 0, 1000, 1100);
	timeline_add_bar(row, 1, 1050, 2000);
	timeline_add_bar(row, 1, 500, 1000);
	timeline_add_bar(row, 1, 1030, 1020);
	row = timeline_add_row(t, 900, 910);
	strbuf_adds(&row->name, "first <&>");
	strbuf_adds(&row->detail, "\"more\"");
}

static void bars__are_cut_to_their_row(void **state)
{
	struct timeline t;

	(void)state;
	fill(&t);
	assert_int_equal(t.rows[0].nr, 2);
	assert_true(t.rows[0].bars[1].from == 1050 && t.rows[0].bars[1].to == 1100);
	timeline_release(&t);
}

static void write__sorts_and_escapes(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct timeline t;

	(void)state;
	fill(&t);
	timeline_write(&t, &out);
	const char *first = strstr(out.buf, "first &lt;&amp;&gt;</text>");
	const char *second = strstr(out.buf, "second</text>");

	assert_non_null(strstr(out.buf, ">a &lt; b</text>"));
	assert_non_null(first);
	assert_true(second > first);
	assert_non_null(strstr(out.buf, ">100 ms</text>")); /* of the axis, which begins at 0 */
	assert_non_null(strstr(second, "<rect fill=\"gray\" x=\"760.0\""));
	timeline_release(&t);
	strbuf_release(&out);
}

static void write__without_rows(void **state)
{
	struct timeline t = {.title = "none", .kinds = kinds, .nr_kinds = 2};
	struct strbuf out = STRBUF_INIT;

	(void)state;
	timeline_write(&t, &out);
	assert_non_null(strstr(out.buf, "</svg>\n"));
	assert_null(strstr(out.buf, "nan"));
	timeline_release(&t);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars__are_cut_to_their_row),
		cmocka_unit_test(write__sorts_and_escapes),
		cmocka_unit_test(write__without_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
