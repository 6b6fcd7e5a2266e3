/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/waits.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void waits__lists(void **state)
{
	static const struct {
		const char *list;
		unsigned states;
		const char *letters;
	} wants[] = {
		{"S", 1, "S"},
		{"S,D", 3, "S,D"},
		{"T", 12, "T"},
		{"blocked", 15, "S,D,T"},
		{"runnable", 48, "R,W"},
		{"R,blocked", 31, "S,D,T,R"},
		{"I,I", 192, "I"},
		{"all", 255, "S,D,T,R,W,I"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wants); i++) {
		struct strbuf letters = STRBUF_INIT;

		assert_int_equal(waits_parse(wants[i].list), wants[i].states);
		waits_add(wants[i].states, &letters);
		assert_string_equal(letters.buf, wants[i].letters);
		strbuf_release(&letters);
	}
}

static void waits__no_lists(void **state)
{
	static const char *const lists[] = {"", ",", "S,", ",S", "s", "SD", "S D", "sleeping", "X"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		assert_int_equal(waits_parse(lists[i]), 0);
}

static void waits__notes(void **state)
{
	(void)state;
	for (const char *letter = wait_letters; *letter; letter++) {
		const char state_text[] = {*letter, '\0'};

		assert_non_null(wait_note(state_text));
		assert_true(wait_is_note(wait_note(state_text), strlen(wait_note(state_text))));
	}
	assert_string_equal(wait_note("R"), "[preempted]");
	assert_null(wait_note(""));
	assert_null(wait_note("SD"));
	assert_null(wait_note("X"));
	assert_true(wait_is_note("[tag: x]", 8));
	assert_false(wait_is_note("[perl]", 6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits__lists),
		cmocka_unit_test(waits__no_lists),
		cmocka_unit_test(waits__notes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
