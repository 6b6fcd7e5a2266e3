/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/tempfile.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/flametap.XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	unlink("a");
	return chdir("/") || rmdir(folder);
}

static size_t count_files(void)
{
	DIR *dir = opendir(".");
	size_t nr = 0;

	assert_non_null(dir);
	for (const struct dirent *e; (e = readdir(dir));)
		nr += e->d_name[0] != '.';
	closedir(dir);
	return nr;
}

static void begin(struct tempfile *t, const char *text)
{
	assert_int_equal(tempfile_open(t, "a"), 0);
	fputs(text, t->out);
	fflush(t->out);
}

static void tempfile__stands_when_it_is_whole(void **state)
{
	struct tempfile t;
	struct stat st;

	(void)state;
	begin(&t, "new");
	assert_int_equal(stat("a", &st), -1);
	assert_int_equal(tempfile_commit(&t), 0);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 3);
	begin(&t, "another");
	tempfile_drop(&t);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_size, 3);
	assert_int_equal(count_files(), 1);
}

static void tempfile__tells_why(void **state)
{
	struct tempfile t;

	(void)state;
	assert_int_equal(tempfile_open(&t, "none/a"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(tempfile_open(&t, "folder"), 0);
	assert_int_equal(tempfile_commit(&t), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rmdir("folder"), 0);
	assert_int_equal(count_files(), 0);
}

static void tempfile__of_no_room_is_dropped(void **state)
{
	struct rlimit old, small;
	struct tempfile t;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = (struct rlimit){.rlim_cur = 2, .rlim_max = old.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(tempfile_open(&t, "a"), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	fputs("three", t.out);
	assert_int_equal(tempfile_commit(&t), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(count_files(), 0);
}

/* Ends a program that has two half-written files, by SIG, or by exit if SIG is 0. */
static int end_by(int sig)
{
	struct tempfile t, u;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		begin(&t, "half");
		begin(&u, "half, too");
		if (!sig)
			exit(0);
		raise(sig);
		tempfile_drop(&t);
		_exit(tempfile_commit(&u) ? 1 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void tempfile__goes_with_the_program(void **state)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		signal(signals[i], SIG_DFL); /* a background job's shell may ignore them */
		int status = end_by(signals[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_int_equal(count_files(), 0);
	}
}

static void tempfile__minds_what_is_ignored(void **state)
{
	(void)state;
	signal(SIGHUP, SIG_IGN);
	assert_int_equal(end_by(SIGHUP), 0);
	signal(SIGHUP, SIG_DFL);
	assert_int_equal(count_files(), 1);
}

static void tempfile__goes_with_exit(void **state)
{
	(void)state;
	assert_int_equal(end_by(0), 0);
	assert_int_equal(count_files(), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(tempfile__stands_when_it_is_whole),
		IN_FOLDER(tempfile__tells_why),
		IN_FOLDER(tempfile__of_no_room_is_dropped),
		IN_FOLDER(tempfile__goes_with_the_program),
		IN_FOLDER(tempfile__minds_what_is_ignored),
		IN_FOLDER(tempfile__goes_with_exit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
