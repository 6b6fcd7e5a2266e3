/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

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
		cmocka_unit_test(waits__notes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
