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
	builder_start(&builder);
	return builder.socket < 0;
}

static int tear_down(void **state)
{
	(void)state;
	builder_stop(&builder);
	return 0;
}

/* The next answer. */
static bool take(uint32_t *number, int *table)
{
	struct pollfd fd = {.fd = builder.socket, .events = POLLIN};

	return poll(&fd, 1, 60000) == 1 && builder_take(&builder, number, table);
}

static void builder__makes_tables(void **state)
{
	int self = open("/proc/self/exe", O_RDONLY), fd;
	struct elffile *elf = elffile_open("/proc/self/exe", NULL);
	struct unwind_table table;
	uint32_t number;

	(void)state;
	assert_int_equal(builder_ask(&builder, 7, self), 0);
	assert_int_equal(builder.asked, 1);
	assert_true(take(&number, &fd));
	assert_int_equal(number, 7);
	assert_int_equal(builder.asked, 0);
	assert_int_equal(unwind_table_open(&table, fd, elffile_build_id(elf)), 0);
	assert_true(table.header->nr_rows > 100);
	unwind_table_release(&table);
	elffile_close(elf);
	close(fd);
	close(self);
}

/* More than the sockets hold, before an answer is taken: nobody waits for anybody. */
static void builder__is_asked_for_more_than_it_can_take(void **state)
{
	enum { MANY = 5000 };
	int no_elf = open("/dev/null", O_RDONLY), fd;
	uint32_t asked = 0, number, answers = 0;

	(void)state;
	while (asked < MANY && !builder_ask(&builder, asked, no_elf))
		asked++;
	assert_true(asked > 0 && asked < MANY);
	while (answers < MANY) {
		assert_true(take(&number, &fd));
		assert_int_equal(number, answers++);
		assert_int_equal(fd, -1);
		while (asked < MANY && !builder_ask(&builder, asked, no_elf))
			asked++;
	}
	assert_int_equal(builder.asked, 0);
	assert_false(builder_take(&builder, &number, &fd));
	close(no_elf);
}

static void builder__died(void **state)
{
	int no_elf = open("/dev/null", O_RDONLY), fd;
	uint32_t number;

	(void)state;
	kill(builder.pid, SIGKILL);
	assert_false(take(&number, &fd));
	assert_int_equal(builder.socket, -1);
	assert_int_equal(builder_ask(&builder, 1, no_elf), -1);
	assert_false(builder_take(&builder, &number, &fd));
	close(no_elf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(builder__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(makes_tables),
		TEST(is_asked_for_more_than_it_can_take),
		TEST(died),
	};

	alarm(100); /* a deadlock is a failure, too */
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
