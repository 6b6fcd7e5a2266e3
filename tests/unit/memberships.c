/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process belonged to, and the labels of that. */
#include "label/memberships.h"
#include "lib/util.h"
#include "model/recording.h"
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
	memberships_init(&m, top, MEMBERSHIP_ALL);
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

/* Returns the value of a label, or NULL if the process does not have it. */
static const char *value_of(const struct membership *of, int label)
{
	return of && of->values[label] ? strpool_get(&m.strings, of->values[label]) : NULL;
}

static void expect_equal(const char *found, const char *expected)
{
	if (expected && found)
		assert_string_equal(found, expected);
	else
		assert_true(found == expected);
}

/* Expects PID to have been in the cgroup PATH, or nowhere if that is NULL. */
static void expect_cgroup(uint32_t pid, uint64_t start, const char *path)
{
	expect_equal(value_of(memberships_of(&m, pid, start), MEMBERSHIP_cgroup), path);
}

static void expect(uint64_t start, const char *path)
{
	expect_cgroup((uint32_t)getpid(), start, path);
}

/* Adds a process that has not been read. */
static void add(uint32_t pid, uint64_t start, const char *path)
{
	bool is_new;

	*table_put(&m.by_pid, pid, 0, &is_new) = (uint32_t)m.nr;
	m.list[m.nr++] = (struct membership){.start = start,
		.until = UINT64_MAX,
		.pid = pid,
		.values[MEMBERSHIP_cgroup] = strpool_adds(&m.strings, path)};
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

/* A program that is executed is no reason to read the labels of a process without a sample. */
static void test_is_read_late(void **state)
{
	uint32_t pid = (uint32_t)getpid();

	(void)state;
	m.late = true;
	put("/a");
	memberships_executed(&m, pid);
	assert_int_equal(m.nr, 1);
	memberships_see(&m, pid);
	expect(0, "/a");
	put("/b");
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

	(void)state;
	add(gone, start, "/a");
	expect_cgroup(gone, start + 500, "/a");
	memberships_forked(&m, gone, start + 400);
	expect_cgroup(gone, start, "/a");
	expect_cgroup(gone, start + 300, "/a");
	expect_cgroup(gone, start + 400, NULL);
	expect_cgroup(gone, start + 500, NULL);
}

static void test_sweep(void **state)
{
	uint32_t pid = (uint32_t)getpid(), gone = 4194305, used = 4194306;
	struct rec_task task = {.pid = used};

	(void)state;
	put("/mine");
	memberships_see(&m, pid);
	add(gone, 7, "/a");
	add(used, 7, "/b");
	memberships_sweep(&m, &task, 1);
	assert_int_equal(m.nr, 3);
	expect_cgroup(gone, 7, NULL);
	expect_cgroup(used, 7, "/b");
	expect(0, "/mine");
}

static void put_title(const char *bytes, size_t len)
{
	char *name = path_of("/cmdline");
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	free(name);
}

static void expect_title(const char *title)
{
	m.list[1].read_ns = 0; /* as if it was long ago */
	expect_equal(value_of(memberships_of(&m, (uint32_t)getpid(), 0), MEMBERSHIP_title), title);
}

static void expect_pool(const char *pool)
{
	expect_equal(value_of(memberships_of(&m, (uint32_t)getpid(), 0), MEMBERSHIP_pool), pool);
}

/* The pool is in the title of a worker of php-fpm, and nowhere else. */
static void test_pool(void **state)
{
	(void)state;
	put("/a");
	put_title("php-fpm: master process (/etc/php/fpm.conf)\0\0", 45);
	memberships_see(&m, (uint32_t)getpid());
	expect_title("php-fpm: master process (/etc/php/fpm.conf)");
	expect_pool(NULL);
	put_title("php-fpm: pool www\0\0\0", 20);
	expect_title("php-fpm: pool www");
	expect_pool("www");
}

/* A process may change its title, and has none when it ends. */
static void test_title(void **state)
{
	char long_title[300];

	(void)state;
	put("/a");
	put_title("perl\0-e\0sleep\n1", 15);
	memberships_see(&m, (uint32_t)getpid());
	expect_title("perl -e sleep 1");
	put_title("worker: \xc3\xa4   \0\0\0", 16);
	put("/b");
	expect_title("worker: \xc3\xa4");
	expect(0, "/a"); /* it is read only once */
	put_title("", 0);
	expect_title("worker: \xc3\xa4");
	memset(long_title, 'x', sizeof(long_title));
	memset(long_title + 199, 0xc3, 2); /* the first byte of a character, cut behind it */
	put_title(long_title, sizeof(long_title));
	long_title[199] = '\0';
	expect_title(long_title);
}

static void expect_label(const struct membership_label *label, const char *title, const char *want)
{
	size_t len = 0;
	const char *value = label->value(title, &len);

	if (!want) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(value, want, len);
}

/* Titles of PostgreSQL 10 to 18. */
static void test_client(void **state)
{
	static const struct {
		const char *title, *role, *database;
	} list[] = {
		{"postgres: bob shop [local] SELECT", "bob", "shop"},
		{"postgres: bob shop 127.0.0.1(41218) idle in transaction", "bob", "shop"},
		{"postgres: 15/main: bob shop ::1(41218) COMMIT", "bob", "shop"},
		{"postgres: bob shop [local]", "bob", "shop"},
		{"postgres: the shop shop [local] idle", "the shop", "shop"},
		{"postgres: 15/main: walsender copy [local] streaming 0/15A5F48", "copy", NULL},
		{"postgres: walsender copy shop 10.0.0.2(5000) idle", "copy", "shop"},
		{"postgres: walwriter ", NULL, NULL},
		{"postgres: 15/main: autovacuum worker shop", NULL, NULL},
		{"postgres: parallel worker for PID 1302", NULL, NULL},
		{"postgres: [local] idle", NULL, NULL},
		{"postgres: ", NULL, NULL},
		{"postgres:", NULL, NULL},
		{"/usr/lib/postgresql/15/bin/postgres -D /data", NULL, NULL},
		{"cat a b [local]", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(list); i++) {
		expect_label(&role_label, list[i].title, list[i].role);
		expect_label(&database_label, list[i].title, list[i].database);
	}
}

static void test_nobody_asks(void **state)
{
	struct memberships none;

	(void)state;
	put("/a");
	memberships_init(&none, "/proc", 0);
	memberships_see(&none, (uint32_t)getpid());
	memberships_see_all(&none, INT64_MAX);
	assert_null(memberships_of(&none, (uint32_t)getpid(), 0));
	memberships_release(&none);
}

static void expect_labels(const char *path, const char *cgroup, const char *unit, const char *id)
{
	const struct membership *of;

	put(path);
	memberships_executed(&m, (uint32_t)getpid());
	of = memberships_of(&m, (uint32_t)getpid(), 0);
	expect_equal(value_of(of, MEMBERSHIP_cgroup), cgroup);
	expect_equal(value_of(of, MEMBERSHIP_unit), unit);
	expect_equal(value_of(of, MEMBERSHIP_container), id);
}

static void test_labels(void **state)
{
	const char *path = "/system.slice/docker-" ID ".scope";

	(void)state;
	expect_labels("/", NULL, NULL, NULL);
	expect_labels("/a.slice", "/a.slice", NULL, NULL);
	expect_labels("/a.slice/b.service/c", "/a.slice/b.service/c", "b.service", NULL);
	expect_labels(path, path, path + strlen("/system.slice/"), "a5c300000000");
	expect_labels("/d", "/d", NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_is_read_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_read_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_is_read_at_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_earlier_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_later_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_sweep, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_title, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pool, set_up, tear_down),
		cmocka_unit_test(test_client),
		cmocka_unit_test_setup_teardown(test_nobody_asks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_labels, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
