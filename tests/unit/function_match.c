/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What users call functions by: names, patterns and regular expressions. */
#include "lib/strbuf.h"
#include "view/function_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"malloc", "main", "m", "u", "operator new", "operator new[]",
	"operator new[](unsigned long)", "[unknown]", "main::__ANON__[/usr/bin/ack:427]",
	"std::vector<int*, a?>::at", "half[open", "back\\", "re:in"};

/* Returns the numbers of the names that TEXT matches, one letter each, "a" for the first. */
static const char *matched_by(const char *text)
{
	static char letters[sizeof(names) / sizeof(*names) + 1];
	struct profile p, *list = &p;
	struct function_match m;
	size_t nr = 0;

	profile_init(&p);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		profile_frame(&p, FRAME_USER, names[i], strlen(names[i]), NULL, 0);
	assert_int_equal(function_match_init(&m, text, NULL), 0);
	bool any = function_match_settle(&m, &list, 1, NULL);

	for (uint32_t i = 1; i < p.nr_frames; i++)
		if (function_match_frame(&m, &p, i))
			letters[nr++] = (char)('a' + i - 1);
	letters[nr] = '\0';
	assert_int_equal(any, nr != 0);
	function_match_release(&m);
	profile_release(&p);
	return letters;
}

/* Whatever a table or a picture shows can be given back as it is. */
static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(matched_by(names[i]), ((char[]){(char)('a' + i), '\0'}));
}

static void test_patterns(void **state)
{
	(void)state;
	assert_string_equal(matched_by("ma*"), "abi");
	assert_string_equal(matched_by("[mu]"), "cd");
	assert_string_equal(matched_by("operator new*"), "efg");
	assert_string_equal(matched_by("?alloc"), "a");
	assert_string_equal(matched_by("[nobody]"), "");
	assert_string_equal(matched_by("half["), "");
}

static void test_regular_expressions(void **state)
{
	(void)state;
	assert_string_equal(matched_by("re:^m(ain|alloc)$"), "ab");
	assert_string_equal(matched_by("re:ain"), "bi");
	assert_string_equal(matched_by("re:new\\[\\]$"), "f");
	assert_string_equal(matched_by("re:^$"), "");
}

static void test_wrong(void **state)
{
	struct function_match m;
	struct strbuf err = STRBUF_INIT;

	(void)state;
	assert_int_equal(function_match_init(&m, "", &err), -1);
	strbuf_reset(&err);
	assert_int_equal(function_match_init(&m, "re:(", &err), -1);
	assert_non_null(strstr(err.buf, "regular expression"));
	strbuf_release(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_regular_expressions),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
