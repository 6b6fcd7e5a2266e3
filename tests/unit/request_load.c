/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers of nginx that have no time left for their requests. */
#include "lib/strbuf.h"
#include "lib/util.h"
#include "tool/requests/request_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { SECOND = 1000000000 };

static void expect(const struct request_load *list, size_t nr, const char *want)
{
	struct strbuf text = STRBUF_INIT;

	request_load_say(list, nr, 2ULL * SECOND, &text);
	assert_string_equal(text.len ? text.buf : "", want);
	strbuf_release(&text);
}

static void request_load__says_who_is_busy(void **state)
{
	const struct request_load idle[] = {{1, 0}, {2, 1790000000}};
	const struct request_load one[] = {{1, 100}, {2, 1800000000}};
	const struct request_load all[] = {{1, 2ULL * SECOND}};

	(void)state;
	expect(idle, 0, "");
	expect(idle, 2, "");
	expect(one, 2,
		"1 of 2 workers were busy all the time: requests also wait in the sockets before "
		"they are read, which these times do not include\n");
	expect(all, 1,
		"1 of 1 worker was busy all the time: requests also wait in the sockets before "
		"they "
		"are read, which these times do not include\n");
}

/* Work of our own is counted. */
static void request_load__counts_work(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t before = request_load_busy(pid);

	(void)state;
	while (request_load_busy(pid) <= before)
		;
	assert_int_equal(request_load_busy(0x3fffffff), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_load__says_who_is_busy),
		cmocka_unit_test(request_load__counts_work),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
