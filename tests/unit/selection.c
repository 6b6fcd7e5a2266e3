/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes a name selects, in a made-up procfs and cgroup hierarchies. */
#include "process/selection.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/cgroup.h"
#include "process/descendants.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ID_A "a5c3000000000000000000000000000000000000000000000000000000000001"
#define ID_B "a5c4000000000000000000000000000000000000000000000000000000000002"
#define ID_C "b000000000000000000000000000000000000000000000000000000000000003"

static char top[] = "/tmp/selection-test-XXXXXX";
static char *proc, *mountinfo;

static void make_folders(const char *path)
{
	char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

/* Writes TEXT to a file below the test's folder. */
static void put(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", top, name);

	make_folders(path);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	free(path);
}

static void put_process(uint32_t pid, const char *comm, uint32_t parent)
{
	char *name = xasprintf("proc/%u/comm", pid), *text = xasprintf("%s\n", comm);

	put(name, text);
	free(name);
	free(text);
	name = xasprintf("proc/%u/stat", pid);
	text = xasprintf("%u (%s) S %u 1 1 0\n", pid, comm, parent);
	put(name, text);
	free(name);
	free(text);
}

static void mount(const char *line_end)
{
	char *text = xasprintf("22 1 0:1 / / rw - ext4 /dev/sda rw\n"
			       "23 22 0:2 / %s/v2 rw,relatime - cgroup2 cgroup2 rw\n%s",
		top, line_end);

	put("mountinfo", text);
	free(text);
}

static int set_up(void **state)
{
	(void)state;
	strcpy(top, "/tmp/selection-test-XXXXXX");
	assert_non_null(mkdtemp(top));
	proc = xasprintf("%s/proc", top);
	mountinfo = xasprintf("%s/mountinfo", top);
	return 0;
}

static int tear_down(void **state)
{
	char *command = xasprintf("rm -rf '%s'", top);

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	free(proc);
	free(mountinfo);
	return 0;
}

static int find(enum selection_kind kind, const char *name, struct selected *found)
{
	struct selection s = {kind, name};
	struct selection_roots roots = {proc, mountinfo};
	struct strbuf err = STRBUF_INIT;
	int ret = selection_find(&s, &roots, found, &err);

	assert_int_equal(!ret, !err.len);
	strbuf_release(&err);
	return ret;
}

static int compare(const void *a, const void *b)
{
	return compare_u64(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* "1 2 3", sorted */
static void assert_ids(uint32_t *ids, size_t nr, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	if (nr)
		qsort(ids, nr, sizeof(*ids), compare);
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(&text, "%s%u", i ? " " : "", ids[i]);
	assert_string_equal(nr ? text.buf : "", expected);
	strbuf_release(&text);
}

static void expect(enum selection_kind kind, const char *name, const char *pids, const char *tids,
	size_t nr_cgroups)
{
	struct selected found;

	assert_int_equal(find(kind, name, &found), 0);
	assert_ids(found.pids, found.nr_pids, pids);
	assert_ids(found.tids, found.nr_tids, tids);
	assert_int_equal(found.nr_cgroups, nr_cgroups);
	selected_release(&found);
}

static void test_comm(void **state)
{
	(void)state;
	put_process(10, "nginx", 1);
	put_process(11, "nginx: worker", 10);
	put_process(12, "mysqld", 1);
	put_process(13, "gnome-terminal-", 1);
	put("proc/12/task/12/comm", "mysqld\n");
	put("proc/12/task/14/comm", "ib_io_rd-1\n");
	put("proc/10/task/15/comm", "nginx\n"); /* in a process that matches anyway */
	put("proc/self/comm", "nginx\n");
	expect(SELECT_COMM, "nginx", "10", "", 0);
	expect(SELECT_COMM, "nginx*", "10 11", "", 0);
	expect(SELECT_COMM, "nginx:*", "11", "", 0);
	expect(SELECT_COMM, "ngin", "", "", 0);
	expect(SELECT_COMM, "ib_io*", "", "14", 0);
	/* the kernel keeps 15 bytes of a name */
	expect(SELECT_COMM, "gnome-terminal-server", "13", "", 0);
	expect(SELECT_COMM, "gnome-terminal", "", "", 0);
}

static void test_comm_words(void **state)
{
	struct selection exact = {SELECT_COMM, "abcdefgh"}, begins = {SELECT_COMM, "abcdefghi*"};
	struct comm_words w = selection_comm(&exact);

	(void)state;
	assert_memory_equal(w.word, "abcdefgh\0\0\0\0\0\0\0", 16);
	assert_memory_equal(w.mask, "\377\377\377\377\377\377\377\377\377\0\0\0\0\0\0", 16);
	w = selection_comm(&begins);
	assert_memory_equal(w.word, "abcdefghi\0\0\0\0\0\0", 16);
	assert_memory_equal(w.mask, "\377\377\377\377\377\377\377\377\377\0\0\0\0\0\0", 16);
}

static void test_cgroup(void **state)
{
	struct selected found;
	struct stat st;
	char *path = xasprintf("%s/v2/a.slice/b.service", top);

	(void)state;
	mount("");
	put("v2/cgroup.procs", "1\n2\n");
	put("v2/a.slice/cgroup.procs", "");
	put("v2/a.slice/b.service/cgroup.procs", "0\n20\n21\n"); /* 0 is in another namespace */
	put("v2/a.slice/b.service/worker/cgroup.procs", "22\n");
	put("v2/a.slice/b.service2/cgroup.procs", "23\n");
	expect(SELECT_CGROUP, "/a.slice", "20 21 22 23", "", 1);
	expect(SELECT_CGROUP, "/a.slice/b.service/", "20 21 22", "", 1);
	expect(SELECT_CGROUP, path, "20 21 22", "", 1); /* below the mount point */
	expect(SELECT_CGROUP, "/a.slice/b", "", "", 0);
	assert_int_equal(find(SELECT_CGROUP, "/a.slice/b.service", &found), 0);
	assert_true(found.is_unified);
	assert_false(found.has_v1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(found.cgroups[0].id, st.st_ino);
	assert_int_equal(found.cgroups[0].level, 2);
	selected_release(&found);
	free(path);
}

static void test_unit(void **state)
{
	(void)state;
	mount("");
	put("v2/system.slice/nginx.service/cgroup.procs", "30\n");
	put("v2/system.slice/nginx.service/sub/cgroup.procs", "31\n");
	put("v2/user.slice/user-0.slice/user@0.service/app.slice/nginx.service/cgroup.procs",
		"32\n");
	put("v2/user.slice/user-0.slice/session-1.scope/cgroup.procs", "33\n");
	put("v2/system.slice/nginx.service.wants/cgroup.procs", "34\n");
	expect(SELECT_UNIT, "nginx", "30 31 32", "", 2);
	expect(SELECT_UNIT, "nginx.service", "30 31 32", "", 2);
	expect(SELECT_UNIT, "session-1.scope", "33", "", 1);
	expect(SELECT_UNIT, "user.slice", "32 33", "", 1);
	expect(SELECT_UNIT, "session-1", "", "", 0);
}

static void test_container(void **state)
{
	struct selected found;

	(void)state;
	mount("");
	put("v2/system.slice/docker-" ID_A ".scope/cgroup.procs", "40\n");
	put("v2/system.slice/docker-" ID_A ".scope/init/cgroup.procs", "41\n");
	put("v2/docker/" ID_B "/cgroup.procs", "42\n");
	put("v2/machine.slice/libpod-conmon-" ID_C ".scope/cgroup.procs", "43\n");
	put("v2/machine.slice/libpod-" ID_C ".scope/container/cgroup.procs", "44\n");
	put("v2/kubepods.slice/kubepods-podx.slice/cri-containerd-" ID_C ".scope/cgroup.procs",
		"45\n");
	expect(SELECT_CONTAINER, ID_A, "40 41", "", 1);
	expect(SELECT_CONTAINER, "a5c3", "40 41", "", 1);
	expect(SELECT_CONTAINER, "a5c4", "42", "", 1);
	expect(SELECT_CONTAINER, "b", "44 45", "", 2); /* one container in two places */
	expect(SELECT_CONTAINER, "c", "", "", 0);
	assert_int_equal(find(SELECT_CONTAINER, "a5c", &found), -1);
}

/* The kernel cannot tell which processes are in a v1 hierarchy, so they are listed. */
static void test_v1(void **state)
{
	struct selected found;
	char *v1 = xasprintf("24 22 0:3 / %s/memory rw - cgroup cgroup rw,memory\n"
			     "25 22 0:4 / %s/systemd rw - cgroup cgroup rw,name=systemd\n",
		top, top);

	(void)state;
	mount(v1);
	free(v1);
	put("v2/cgroup.procs", "1\n");
	put("memory/docker/" ID_A "/cgroup.procs", "50\n");
	put("systemd/docker/" ID_A "/cgroup.procs", "50\n");
	assert_int_equal(find(SELECT_CONTAINER, ID_A, &found), 0);
	assert_false(found.is_unified);
	assert_true(found.has_v1);
	assert_ids(found.pids, found.nr_pids, "50");
	selected_release(&found);
	/* a cgroup that does not exist yet is expected in v2 */
	assert_int_equal(find(SELECT_CONTAINER, ID_B, &found), 0);
	assert_true(found.is_unified);
	assert_false(selected_any(&found));
	selected_release(&found);
	/* v2 has the same cgroup, but all processes are in v1's */
	put("v2/docker/" ID_A "/cgroup.procs", "");
	assert_int_equal(find(SELECT_CONTAINER, ID_A, &found), 0);
	assert_false(found.is_unified);
	selected_release(&found);
	put("v2/docker/" ID_A "/cgroup.procs", "50\n");
	assert_int_equal(find(SELECT_CONTAINER, ID_A, &found), 0);
	assert_true(found.is_unified);
	assert_ids(found.pids, found.nr_pids, "50");
	selected_release(&found);
}

static void test_no_mount(void **state)
{
	struct selected found;

	(void)state;
	put("mountinfo", "22 1 0:1 / / rw - ext4 /dev/sda rw\n");
	assert_int_equal(find(SELECT_UNIT, "nginx", &found), -1);
}

static void test_check(void **state)
{
	static const struct {
		struct selection selection;
		bool good;
	} checks[] = {
		{{SELECT_COMM, "nginx"}, true},
		{{SELECT_COMM, "nginx*"}, true},
		{{SELECT_COMM, "tokio-runtime-w"}, true},
		{{SELECT_COMM, ""}, false},
		{{SELECT_COMM, "*"}, false},
		{{SELECT_COMM, "*x"}, false},
		{{SELECT_COMM, "a*b"}, false},
		{{SELECT_CGROUP, "/a"}, true},
		{{SELECT_CGROUP, "/a..b/..c"}, true},
		{{SELECT_CGROUP, "a"}, false},
		{{SELECT_CGROUP, "//"}, false},
		{{SELECT_CGROUP, "/a/.."}, false},
		{{SELECT_CGROUP, "/../a"}, false},
		{{SELECT_CONTAINER, ID_A}, true},
		{{SELECT_CONTAINER, "a5"}, true},
		{{SELECT_CONTAINER, ID_A "0"}, false},
		{{SELECT_CONTAINER, "web"}, false},
		{{SELECT_UNIT, "nginx"}, true},
		{{SELECT_UNIT, "a/b"}, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		assert_int_equal(!selection_check(&checks[i].selection), checks[i].good);
}

static void test_paths(void **state)
{
	static const struct {
		const char *path, *container, *unit;
	} paths[] = {
		{"/", NULL, NULL},
		{"/system.slice/nginx.service", NULL, "nginx.service"},
		{"/system.slice/nginx.service/worker", NULL, "nginx.service"},
		{"/system.slice/docker-" ID_A ".scope", ID_A, "docker-" ID_A ".scope"},
		{"/docker/" ID_A "/docker/" ID_B "/init", ID_B, NULL},
		{"/kubepods-pod1.slice:cri-containerd:" ID_A, ID_A, NULL},
		{"/machine.slice/libpod-conmon-" ID_A ".scope", NULL,
			"libpod-conmon-" ID_A ".scope"},
		{"/a/x" ID_A, NULL, NULL}, /* no separator before it */
		{"/user.slice/user-0.slice/user@0.service/app.slice/b.scope", NULL, "b.scope"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const char *id = cgroup_container(paths[i].path), *unit;
		size_t len = 0;

		assert_int_equal(!id, !paths[i].container);
		if (id)
			assert_memory_equal(id, paths[i].container, CONTAINER_ID_LEN);
		unit = cgroup_unit(paths[i].path, &len);
		assert_int_equal(!unit, !paths[i].unit);
		if (unit) {
			assert_int_equal(len, strlen(paths[i].unit));
			assert_memory_equal(unit, paths[i].unit, len);
		}
	}
}

static void expect_cgroup(const char *text, const char *expected)
{
	put("proc/60/cgroup", text);
	char *path = cgroup_of(proc, 60);

	assert_string_equal(path, expected);
	free(path);
}

static void test_cgroup_of(void **state)
{
	(void)state;
	expect_cgroup("0::/a.slice/b.service\n", "/a.slice/b.service");
	expect_cgroup("3:memory:/m\n1:name=systemd:/s\n0::/\n", "/s");
	expect_cgroup("1:name=systemd:/s\n3:memory:/m\n0::/u:v\n", "/u:v");
	expect_cgroup("3:memory:/m\n2:cpu,cpuacct:/\n", "/m");
	expect_cgroup("0::/\n", "/");
	assert_null(cgroup_of(proc, 61));
}

static void expect_descendants(const uint32_t *pids, size_t nr, const char *expected)
{
	size_t nr_found;
	uint32_t *found = descendants(proc, pids, nr, &nr_found);

	assert_ids(found, nr_found, expected);
	free(found);
}

static void test_descendants(void **state)
{
	(void)state;
	put_process(1, "init", 0);
	put_process(70, "nginx: master", 1);
	put_process(71, "a) S 1", 70); /* a name that looks like the rest of the line */
	put_process(72, "worker", 70);
	put_process(73, "cgi", 72);
	put_process(74, "other", 1);
	expect_descendants((const uint32_t[]){70}, 1, "71 72 73");
	expect_descendants((const uint32_t[]){70, 72}, 2, "71 73");
	expect_descendants((const uint32_t[]){74}, 1, "");
	expect_descendants((const uint32_t[]){75}, 1, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_comm, set_up, tear_down),
		cmocka_unit_test(test_comm_words),
		cmocka_unit_test_setup_teardown(test_cgroup, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_container, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_v1, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_mount, set_up, tear_down),
		cmocka_unit_test(test_check),
		cmocka_unit_test(test_paths),
		cmocka_unit_test_setup_teardown(test_cgroup_of, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_descendants, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
