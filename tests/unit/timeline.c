/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/timeline/timeline_svg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct timeline_kind kinds[] = {{"all", 9, false}, {"part", 1, true}};

static void fill(struct timeline *t)
{
	*t = (struct timeline){.title = "a < b", .things = "parts", .kinds = kinds, .nr_kinds = 2};
	struct timeline_row *row = timeline_add_row(t, 1000, 1100);

	strbuf_adds(&row->name, "second");
	timeline_add_bar(row, 0, 1000, 1100);
	timeline_add_bar(row, 1, 1050, 2000);
	timeline_add_bar(row, 1, 500, 1000);
	timeline_add_bar(row, 1, 1030, 1020);
	row = timeline_add_row(t, 900, 910);
	strbuf_adds(&row->name, "first <&>");
	strbuf_adds(&row->detail, "\"more\"\n");
	timeline_add_line(row, "line");
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

/* Returns the picture of T, which the caller frees, and releases T. */
static char *written_of(struct timeline *t)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(view_timeline(t, out, NULL), 0);
	assert_int_equal(fclose(out), 0);
	timeline_release(t);
	return text;
}

static void write__sorts_and_escapes(void **state)
{
	struct timeline t;

	(void)state;
	fill(&t);
	char *text = written_of(&t);
	const char *first = strstr(text, "data-name=\"first &lt;&amp;&gt;\"");
	const char *second = strstr(text, ">second</text>");

	assert_non_null(strstr(text, ">a &lt; b</text>"));
	assert_non_null(strstr(text, ">first &lt;&amp;&gt;</text>"));
	assert_non_null(first);
	assert_true(second > first);
	assert_non_null(strstr(text, "<title>&quot;more&quot;\\x0a\nline </title>"));
	assert_non_null(strstr(text, ">100 ms</text>")); /* of the axis, which begins at 0 */
	assert_non_null(strstr(first, " data-time=\"100.000 200.000\" data-name=\"second\""));
	assert_non_null(strstr(second, "<rect class=\"q9\" x=\"760.0\""));
	assert_non_null(strstr(second, " data-time=\"150.000 200.000\"/>"));
	free(text);
}

static void write__without_rows(void **state)
{
	struct timeline t = {.title = "none", .things = "parts", .kinds = kinds, .nr_kinds = 2};

	(void)state;
	char *text = written_of(&t);

	assert_non_null(strstr(text, "</svg>\n"));
	assert_null(strstr(text, "\"nan"));
	free(text);
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
