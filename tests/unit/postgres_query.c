/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries without their literals. */
#include "label/postgres/postgres_query.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char *without(const char *text, bool cut)
{
	struct strbuf out = STRBUF_INIT;

	strbuf_adds(&out, "?, ");
	postgres_query_add(text, cut, &out);
	assert_memory_equal(out.buf, "?, ", 3);
	char *result = xstrdup(out.buf + 3);

	strbuf_release(&out);
	return result;
}

static void postgres_query__has_no_literals(void **state)
{
	static const char *const cases[][2] = {
		{"SELECT abalance FROM accounts WHERE aid = 90251;",
			"SELECT abalance FROM accounts WHERE aid = ?;"},
		{"select * from t1 where name='O''Hara' and x > -1.5e-3",
			"select * from t1 where name=? and x > ?"},
		{"select E'it\\'s', N'n', b'01', X'1F', .5, 0x1f, 1_000", "select ?"},
		{"select $$a 'b'$$, $tag$ $$ $tag$ from t", "select ? from t"},
		{"select $1, a$2, $2::int4", "select $1, a$2, $2::int4"},
		{"select  a,\n\tb -- of 17\nfrom t /* 1 /* 2 */ 3 */ limit 10",
			"select a, b from t limit ?"},
		{"/* app=shop */ BEGIN", "BEGIN"},
		{"select 1 where a in (1, 2,3) or b in ('x','y')",
			"select ? where a in (?) or b in (?)"},
		{"insert into t (a, b) values (1, 'x'), (2, 'y'), (3, 'z')",
			"insert into t (a, b) values (?)"},
		{"insert into t values (1,2),(3,4)", "insert into t values (?)"},
		{"select \"weird 1 name\"\"\" from \"t'\"",
			"select \"weird 1 name\"\"\" from \"t'\""},
		{"select größe from läden where größe = 3",
			"select größe from läden where größe = ?"},
		{"select 'not closed", "select ?"},
		{"select /* not closed", "select"},
		{"select $not closed", "select $not closed"},
		{"select \"not closed", "select \"not closed"},
		{"select -1", "select -?"}, /* select may be a name for all that is known */
		{"select a + -5, a -5, (-1), x*-2", "select a + ?, a -?, (?), x*?"},
		{"values (1, -2, now()), (-1, 2, now())", "values (?, now()), (?, now())"},
		{"select - -1--", "select - ?"},
		{"", ""},
		{" \n", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *got = without(cases[i][0], false);

		assert_string_equal(got, cases[i][1]);
		free(got);
	}
}

/* Long queries that differ only after the part that is shown have different names. */
static void postgres_query__tells_long_ones_apart(void **state)
{
	char text[600], *a, *b, *c;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 2 ? ' ' : 'a';
	memcpy(text, "select", 6);
	text[sizeof(text) - 1] = '\0';
	a = without(text, false);
	text[500] = 'b';
	b = without(text, false);
	text[500] = '7';
	text[502] = '8';
	c = without(text, true);
	assert_string_not_equal(a, b);
	assert_string_not_equal(b, c);
	assert_true(strlen(a) <= POSTGRES_QUERY_LEN + 16);
	assert_memory_equal(a, b, POSTGRES_QUERY_LEN - 1);
	assert_non_null(strstr(a, "… #"));
	free(a);
	free(b);
	free(c);
}

static void postgres_query__is_cut_between_characters(void **state)
{
	char text[2 * POSTGRES_QUERY_LEN + 2];
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = "a\xc3\xa4"[i ? 1 + (i + 1) % 2 : 0];
	text[sizeof(text) - 1] = '\0';
	got = without(text, false);
	assert_memory_equal(got + POSTGRES_QUERY_LEN - 1, "… #", strlen("… #"));
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(postgres_query__has_no_literals),
		cmocka_unit_test(postgres_query__tells_long_ones_apart),
		cmocka_unit_test(postgres_query__is_cut_between_characters),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
