/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/timing.h"
#include "lib/strbuf.h"
#include "model/account.h"
#include "model/recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void check_line(const char *want, const struct timing *timing, uint64_t left_out)
{
	struct account account = {.known = true, .kept = 900, .left_out = left_out, .whole = 900};
	struct strbuf line = STRBUF_INIT;

	account_line(&account, timing, "samples", &line);
	char *stacks = strstr(line.buf, "; stacks");

	assert_non_null(stacks);
	*stacks = '\0';
	assert_string_equal(line.buf, want);
	strbuf_release(&line);
}

/* Time that a filter leaves out was in use, too; unknown values are not printed. */
static void timing__line(void **state)
{
	struct timing t = {.duration = 500000000, .period = 1000000, .cpus = 2};

	(void)state;
	check_line("900 samples kept, 0 lost; 1.8 of 2 CPUs for 0.5 s", &t, 0);
	check_line(
		"900 samples kept, 50 samples left out, 0 lost; 1.9 of 2 CPUs for 0.5 s", &t, 50);
	t.period = 10000;
	check_line("900 samples kept, 0 lost; 0.018 of 2 CPUs for 0.5 s", &t, 0);
	t.cpus = 0;
	check_line("900 samples kept, 0 lost; 0.018 CPUs for 0.5 s", &t, 0);
	t.duration = 0;
	check_line("900 samples kept, 0 lost", &t, 0);
	t = (struct timing){.duration = 1000000000, .cpus = 2};
	check_line("900 samples kept, 0 lost", &t, 0);
}

static void timing__json(void **state)
{
	struct timing t = {.duration = 500000000, .period = 1000000, .cpus = 2};
	struct account account = {.known = true, .kept = 900};
	struct strbuf text = STRBUF_INIT;

	(void)state;
	account_json(&account, &t, &text);
	assert_non_null(strstr(
		text.buf, "\"seconds\": 0.500, \"cpus\": 2, \"cpus_used\": 1.800, \"lost\""));
	strbuf_reset(&text);
	account_json(&account, &(struct timing){0}, &text);
	assert_null(strstr(text.buf, "cpus"));
	assert_null(strstr(text.buf, "seconds"));
	strbuf_release(&text);
}

static void timing__several(void **state)
{
	struct timing sum = {.started = 7, .duration = 2, .period = 3, .cpus = 4};

	(void)state;
	timing_add(&sum, &(struct timing){.started = 5, .duration = 1, .period = 2, .cpus = 8});
	timing_add(&sum, &(struct timing){.duration = UINT64_MAX});
	assert_int_equal(sum.started, 5);
	assert_true(sum.duration == UINT64_MAX);
	assert_int_equal(sum.period, 3);
	assert_int_equal(sum.cpus, 8);
}

static void timing__recording(void **state)
{
	static const char *const bad[] = {"", "-1", "99999999999999", "many"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct recording rec;

		recording_init(&rec);
		recording_add_meta(&rec, "cpus", bad[i]);
		recording_add_event(&rec, "on-cpu", "samples", "cpu", 1001001);
		struct timing t = recording_timing(&rec, rec.events);

		assert_int_equal(t.cpus, 0);
		assert_int_equal(t.period, 1001001);
		recording_release(&rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timing__line),
		cmocka_unit_test(timing__json),
		cmocka_unit_test(timing__several),
		cmocka_unit_test(timing__recording),
	};

	return cmocka_run_group_tests_name("timing", tests, NULL, NULL);
}
