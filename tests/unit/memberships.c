/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cgroup a process was in, and the labels of it. */
#include "engine/memberships.h"
#include "engine/samples.h"
#include "lib/util.h"
#include "process/task.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ID "a5c3000000000000000000000000000000000000000000000000000000000001"

static char top[] = "/tmp/memberships-test-XXXXXX";
static struct memberships m;
static struct samples samples;

static char *path_of(const char *name)
{
	return xasprintf("%s/%d%s", top, (int)getpid(), name);
}

/* This process is in the cgroup PATH of a procfs that has no others. */
static void put(const char *path)
{
	char *name = path_of("/cgroup");
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fprintf(f, "0::%s\n", path);
	assert_int_equal(fclose(f), 0);
	free(name);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(top, "/tmp/memberships-test-XXXXXX");
	assert_non_null(mkdtemp(top));
	char *folder = path_of("");

	assert_int_equal(mkdir(folder, 0700), 0);
	free(folder);
	memberships_init(&m, top, &samples);
	return 0;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -rf '%s'", top);

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	memberships_release(&m);
	return 0;
}

static void expect(uint64_t start, const char *path)
{
	const char *found = memberships_cgroup(&m, (uint32_t)getpid(), start);

	if (path)
		assert_string_equal(found, path);
	else
		assert_null(found);
}

static void test_is_read_once(void **state)
{
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	put("/a");
	memberships_see(&m, pid);
	put("/b");
	memberships_see(&m, pid);
	expect(0, "/a");
	memberships_executed(&m, pid);
	expect(0, "/b");
	put("/b (deleted)"); /* the cgroup is removed before its last process is waited for */
	memberships_executed(&m, pid);
	expect(0, "/b");
	put("/");
	memberships_executed(&m, pid);
	expect(0, "/b");
}

static void test_is_read_at_the_end(void **state)
{
	(void)state;
	put("/a");
	expect(task_start((uint32_t)getpid(), (uint32_t)getpid()), "/a");
}

/* A task that started before the process is of another one, which had its PID. */
static void test_earlier_process(void **state)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t start = task_start(pid, pid);

	(void)state;
	put("/a");
	memberships_see(&m, pid);
	assert_true(start > 2);
	expect(start - 2, NULL);
	expect(start + 1000, "/a"); /* a later thread */
	m.list[1].start -= 2;       /* as if it was read of that one */
	memberships_forked(&m, pid, start);
	put("/b");
	memberships_see(&m, pid);
	expect(start - 2, "/a");
	expect(start, "/b");
}

/* One that was never read gets no labels of an earlier one with its PID. */
static void test_later_process(void **state)
{
	uint32_t gone = 4194305; /* no process has it: PIDs end at 4194304 */
	uint64_t start = 1000;
	bool is_new;

	(void)state;
	*table_put(&m.by_pid, gone, 0, &is_new) = 1;
	m.list[1] = (struct membership){start, UINT64_MAX, gone, strpool_adds(&m.strings, "/a"), 0};
	m.nr = 2;
	assert_string_equal(memberships_cgroup(&m, gone, start + 500), "/a");
	memberships_forked(&m, gone, start + 400);
	assert_string_equal(memberships_cgroup(&m, gone, start), "/a");
	assert_string_equal(memberships_cgroup(&m, gone, start + 300), "/a");
	assert_null(memberships_cgroup(&m, gone, start + 400));
	assert_null(memberships_cgroup(&m, gone, start + 500));
}

static void test_sweep(void **state)
{
	uint32_t pid = (uint32_t)getpid(), gone = 4194305, used = 4194306;
	struct rec_task task = {.pid = used};
	bool is_new;

	(void)state;
	put("/mine");
	memberships_see(&m, pid);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t at = (uint32_t)m.nr++;

		*table_put(&m.by_pid, i ? used : gone, 0, &is_new) = at;
		m.list[at] = (struct membership){7, UINT64_MAX, i ? used : gone,
			strpool_adds(&m.strings, i ? "/b" : "/a"), 0};
	}
	samples = (struct samples){.tasks = &task, .nr_tasks = 1};
	memberships_sweep(&m);
	assert_int_equal(m.nr, 3);
	assert_null(memberships_cgroup(&m, gone, 7));
	assert_string_equal(memberships_cgroup(&m, used, 7), "/b");
	expect(0, "/mine");
}

static void test_nobody_asks(void **state)
{
	struct memberships none;

	(void)state;
	put("/a");
	memberships_init(&none, NULL, NULL);
	memberships_see(&none, (uint32_t)getpid());
	memberships_see_all(&none, INT64_MAX);
	assert_null(memberships_cgroup(&none, (uint32_t)getpid(), 0));
	memberships_release(&none);
}

static void test_labels(void **state)
{
	struct membership_label list[MEMBERSHIP_LABELS];
	const char *path = "/system.slice/docker-" ID ".scope";

	(void)state;
	assert_int_equal(memberships_labels("/", list), 0);
	assert_int_equal(memberships_labels("/a.slice", list), 1);
	assert_string_equal(list[0].key, "cgroup");
	assert_int_equal(list[0].len, strlen("/a.slice"));
	assert_int_equal(memberships_labels("/a.slice/b.service/c", list), 2);
	assert_string_equal(list[1].key, "unit");
	assert_int_equal(list[1].len, strlen("b.service"));
	assert_memory_equal(list[1].value, "b.service", list[1].len);
	assert_int_equal(memberships_labels(path, list), 3);
	assert_string_equal(list[2].key, "container");
	assert_int_equal(list[2].len, 12);
	assert_memory_equal(list[2].value, ID, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_is_read_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_read_at_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_earlier_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_later_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sweep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nobody_asks, set_up, tear_down),
		cmocka_unit_test(test_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
