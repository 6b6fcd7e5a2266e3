/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf maps of processes: which file is taken, when, and from where. */
#include "process/jitmap.h"
#include "lib/util.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char *path; /* of our own perf map */

static int set_up(void **state)
{
	(void)state;
	path = xasprintf("/tmp/perf-%d.map", getpid());
	unlink(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	free(path);
	return 0;
}

static void put(const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

/* Expects that the file that was taken holds TEXT, or that no file was taken if TEXT is NULL. */
static void expect(struct jitmap *j, const char *text)
{
	char content[64] = "";
	int fd = jitmap_take(j);

	if (!text) {
		assert_int_equal(fd, -1);
		return;
	}
	assert_true(fd >= 0);
	assert_true(read(fd, content, sizeof(content) - 1) >= 0);
	assert_string_equal(content, text);
	assert_int_equal(close(fd), 0);
	assert_int_equal(jitmap_take(j), -1);
}

static struct jitmap *own(void)
{
	struct jitmap *j = jitmap_new((uint32_t)getpid());

	assert_non_null(j);
	return j;
}

static void jitmap__as_it_is_at_the_end(void **state)
{
	struct jitmap *j = own();

	(void)state;
	expect(j, NULL);
	put("1 1 a\n");
	expect(j, NULL); /* it was not opened again */
	jitmap_open(j);
	put("2 1 b\n");
	expect(j, "1 1 a\n2 1 b\n");
	jitmap_free(j);
	j = own();
	unlink(path); /* the file that was taken stays open */
	jitmap_open(j);
	expect(j, "1 1 a\n2 1 b\n");
	jitmap_free(j);
	j = own();
	put("3 1 c\n");
	jitmap_open(j);
	unlink(path);
	put("4 1 d\n");
	jitmap_open(j); /* the newer one */
	expect(j, "4 1 d\n");
	jitmap_free(j);
	jitmap_free(NULL);
}

static void jitmap__a_dump(void **state)
{
	char *dump = xasprintf("/tmp/jit-%d.dump", getpid());
	int fd = open(dump, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644), taken;
	struct jitmap *j = own();

	(void)state;
	assert_true(fd >= 0);
	jitmap_open_dump(j, "/no/jit-1.dump");
	assert_false(jitmap_found(j));
	jitmap_open_dump(j, dump); /* compilers map it before they write */
	assert_true(jitmap_found(j));
	assert_int_equal(write(fd, "JiTD", 4), 4);
	unlink(dump);
	for (int i = 0; i < 2; i++) {
		char content[8] = "";

		taken = jitmap_take(j);
		assert_int_equal(pread(taken, content, sizeof(content), 0), 4);
		assert_string_equal(content, "JiTD");
		close(taken);
	}
	put("1 1 a\n");
	jitmap_open(j);
	taken = jitmap_take(j);
	assert_true(taken >= 0);
	char first = 0;

	assert_int_equal(pread(taken, &first, 1, 0), 1);
	assert_int_equal(first, '1'); /* the perf map */
	close(taken);
	jitmap_free(j);
	close(fd);
	free(dump);
}

static void jitmap__nothing_but_its_own_file(void **state)
{
	char target[] = "/tmp/jitmap-test-XXXXXX";
	int fd = mkstemp(target);
	struct jitmap *j = own();

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(symlink(target, path), 0);
	jitmap_open(j);
	expect(j, NULL);
	unlink(path);
	unlink(target);
	assert_int_equal(mkfifo(path, 0644), 0);
	jitmap_open(j);
	expect(j, NULL);
	unlink(path);
	assert_int_equal(mkdir(path, 0755), 0);
	jitmap_open(j);
	expect(j, NULL);
	rmdir(path);
	put("1 1 a\n");
	if (!geteuid()) {
		assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
		jitmap_open(j);
		expect(j, NULL);
		assert_int_equal(chown(path, 0, (gid_t)-1), 0);
	}
	const struct timeval hour[2] = {{time(NULL) - 3600, 0}, {time(NULL) - 3600, 0}};

	assert_int_equal(utimes(path, hour), 0); /* an earlier process's with this PID */
	jitmap_open(j);
	expect(j, NULL);
	jitmap_free(j);
}

/* Starts a child that waits until our end of PAIR is closed. */
static pid_t start_child(int pair[2])
{
	assert_int_equal(pipe(pair), 0);
	pid_t pid = fork();

	if (!pid) {
		char c;

		close(pair[1]);
		_exit(read(pair[0], &c, 1) < 0);
	}
	close(pair[0]);
	return pid;
}

static void end_child(pid_t pid, const int pair[2])
{
	close(pair[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void jitmap__of_one_that_has_ended(void **state)
{
	int pair[2];
	pid_t pid = start_child(pair);
	struct jitmap *j = jitmap_new((uint32_t)pid);

	(void)state;
	assert_non_null(j);
	free(path);
	path = xasprintf("/tmp/perf-%d.map", pid);
	put("1 1 a\n");
	end_child(pid, pair);
	jitmap_open(j);
	expect(j, "1 1 a\n");
	jitmap_free(j);
	assert_null(jitmap_new((uint32_t)pid));
	assert_null(jitmap_new(1 << 30));
}

/* Runs as the first process of a PID namespace. Its own /tmp is a link that only leads somewhere in
 * its own root: to the folder "inside". */
static int contained(void *folder)
{
	char c;

	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", folder, "tmpfs", 0, NULL) || chdir(folder) || chroot(".") ||
		mkdir("inside", 0755) || symlink("/inside", "tmp"))
		return 1;
	int fd = open("/tmp/perf-1.map", O_WRONLY | O_CREAT, 0644);

	if (fd < 0 || write(fd, "1 1 inside\n", 11) != 11 || close(fd))
		return 1;
	return write(STDOUT_FILENO, "", 1) != 1 || read(STDIN_FILENO, &c, 1) < 0;
}

static void jitmap__in_its_own_namespaces(void **state)
{
	static char stack[1 << 16];
	char folder[] = "/tmp/jitmap-test-XXXXXX", c;
	int to[2], from[2], in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO);

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(pipe(to) | pipe(from), 0);
	fcntl(to[1], F_SETFD, FD_CLOEXEC);
	fflush(stdout);
	dup2(to[0], STDIN_FILENO);
	dup2(from[1], STDOUT_FILENO);
	pid_t pid = clone(
		contained, stack + sizeof(stack), CLONE_NEWPID | CLONE_NEWNS | SIGCHLD, folder);

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close(in);
	close(out);
	close(to[0]);
	close(from[1]);
	if (pid < 0 || read(from[0], &c, 1) != 1) {
		printf("# skipped: no namespaces for us\n");
		rmdir(folder);
		skip();
	}
	put("1 1 outside\n");
	struct jitmap *j = jitmap_new((uint32_t)pid);

	assert_non_null(j);
	expect(j, "1 1 inside\n");
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	jitmap_open(j); /* its mounts have ended with it */
	expect(j, "1 1 inside\n");
	jitmap_free(j);
	close(to[1]);
	close(from[0]);
	rmdir(folder);
}

#define TEST(name) cmocka_unit_test_setup_teardown(jitmap__##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(as_it_is_at_the_end),
		TEST(a_dump),
		TEST(nothing_but_its_own_file),
		TEST(of_one_that_has_ended),
		TEST(in_its_own_namespaces),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
