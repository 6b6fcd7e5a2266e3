/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/bpf/builder.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "unwind/unwind_table.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static struct builder builder;

static int set_up(void **state)
{
	(void)state;
	builder_start(&builder, true);
	return builder.socket < 0;
}

static int tear_down(void **state)
{
	(void)state;
	builder_stop(&builder);
	return 0;
}

/* Waits for the next result. */
static bool receive(uint32_t *number, int *table)
{
	struct pollfd fd = {.fd = builder.socket, .events = POLLIN};

	return poll(&fd, 1, 60000) == 1 && builder_receive(&builder, number, table);
}

static void builder__makes_tables(void **state)
{
	int self = open("/proc/self/exe", O_RDONLY), fd;
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	struct unwind_table table;
	uint32_t number;

	(void)state;
	assert_int_equal(builder_request(&builder, 7, self, false), 0);
	assert_int_equal(builder.nr_requests, 1);
	assert_true(receive(&number, &fd));
	assert_int_equal(number, 7);
	assert_int_equal(builder.nr_requests, 0);
	assert_int_equal(unwind_table_open(&table, fd, elffile_build_id(elf)), 0);
	assert_true(table.header->nr_rows > 100);
	unwind_table_release(&table);
	elffile_close(elf);
	close(fd);
	close(self);
}

static void builder__takes_a_few_requests_at_a_time(void **state)
{
	enum { MANY = 500 };
	int no_elf = open("/dev/null", O_RDONLY), fd;
	uint32_t requests = 0, number, results = 0;

	(void)state;
	while (results < MANY) {
		while (requests < MANY && !builder_request(&builder, requests, no_elf, false))
			requests++;
		assert_in_range(requests - results, 1, BUILDER_DEPTH);
		assert_true(receive(&number, &fd));
		assert_int_equal(number, results++);
		assert_int_equal(fd, -1);
	}
	assert_int_equal(builder.nr_requests, 0);
	assert_false(builder_receive(&builder, &number, &fd));
	close(no_elf);
}

static void builder__died(void **state)
{
	int no_elf = open("/dev/null", O_RDONLY), fd;
	uint32_t number;

	(void)state;
	kill(builder.pid, SIGKILL);
	assert_false(receive(&number, &fd));
	assert_int_equal(builder.socket, -1);
	assert_true(builder.signalled);
	assert_int_equal(builder_request(&builder, 1, no_elf, false), -1);
	assert_false(builder_receive(&builder, &number, &fd));
	close(no_elf);
}

static void builder__is_late(void **state)
{
	int no_elf = open("/dev/null", O_RDONLY), fd;
	uint32_t number;

	(void)state;
	assert_false(builder_is_late(&builder, 1));
	assert_int_equal(builder_request(&builder, 1, no_elf, false), 0);
	assert_false(builder_is_late(&builder, 1000000000000));
	usleep(1000);
	assert_true(builder_is_late(&builder, 1));
	assert_true(receive(&number, &fd));
	assert_false(builder_is_late(&builder, 1));
	close(no_elf);
}

static void builder__is_late_when_it_is_stopped(void **state)
{
	int no_elf = open("/dev/null", O_RDONLY);

	(void)state;
	kill(builder.pid, SIGSTOP);
	assert_int_equal(builder_request(&builder, 1, no_elf, false), 0);
	while (!builder_is_late(&builder, 1000000000000))
		usleep(1000);
	builder_stop(&builder);
	assert_true(builder.signalled);
	close(no_elf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(builder__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_tables),
		TEST(takes_a_few_requests_at_a_time),
		TEST(is_late),
		TEST(is_late_when_it_is_stopped),
		TEST(died),
	};

	alarm(100); /* a deadlock is a failure, too */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
