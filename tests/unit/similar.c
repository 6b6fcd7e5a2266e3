/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Similar names. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "lib/similar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *text, const char *const *names, size_t nr, const char *expected)
{
	struct strbuf out = STRBUF_INIT;
	struct similar s;

	similar_init(&s, text);
	for (size_t i = 0; i < nr; i++)
		similar_try(&s, names[i], strlen(names[i]));
	similar_add(&s, &out);
	assert_string_equal(out.buf, expected);
	strbuf_release(&out);
}

static void test_similar(void **state)
{
	static const char *const names[] = {
		"hash_text", "hash_bytes", "main", "f", "std::vector<int>::push_back", "hash_text"};
	const size_t nr = ARRAY_LEN(names);

	(void)state;
	expect("hash_txet", names, nr, "; did you mean 'hash_text'?");
	expect("HASH_TEXT", names, nr, "; did you mean 'hash_text'?");
	expect("hash_*tex?", names, nr, "; did you mean 'hash_text'?");
	expect("push_back", names, nr, "; did you mean 'std::vector<int>::push_back'?");
	expect("hash", names, nr, "; did you mean 'hash_text' or 'hash_bytes'?");
	expect("mian", names, nr, "; did you mean 'main'?");
	expect("nothing", names, nr, "");
	expect("", names, 0, "");
}

static void test_best(void **state)
{
	static const char *const names[] = {"abcdez", "abcdxz", "abcdef", "abcdeg", "abcdefghi"};

	(void)state;
	expect("abcdeff", names, ARRAY_LEN(names),
		"; did you mean 'abcdef', 'abcdez' or 'abcdeg'?");
}

static void test_chosen(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct similar s;

	(void)state;
	similar_init(&s, "hash");
	similar_try(&s, "hash_text", 9);
	similar_try(&s, "hash_bytes", 10);
	similar_choose(&s, "digest");
	similar_add(&s, &out);
	assert_string_equal(out.buf, "; did you mean 'digest'?");
	strbuf_release(&out);
}

/* Names longer than the limit of comparison, also by one byte. */
static void test_long(void **state)
{
	char name[4 * SIMILAR_LENGTH];
	const char *const names[] = {name};

	(void)state;
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t len = SIMILAR_LENGTH - 2; len < SIMILAR_LENGTH + 2; len++) {
		struct similar s;
		char text[2 * SIMILAR_LENGTH] = "";

		memset(text, 'a', len);
		similar_init(&s, text);
		similar_try(&s, names[0], strlen(names[0]));
		assert_int_equal(s.nr, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_similar),
		cmocka_unit_test(test_best),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
