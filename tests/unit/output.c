/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/user.h"
#include "lib/util.h"
#include "view/output.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64];
static struct recording rec;
static const struct output output = {.rec = &rec};

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/flametap.XXXXXX");
	recording_init(&rec);
	recording_add_meta(&rec, "title", "kept");
	return mkdtemp(folder) ? setenv("TMPDIR", folder, 1) : -1;
}

static int tear_down(void **state)
{
	(void)state;
	recording_release(&rec);
	return rmdir(folder);
}

/* Checks that the recording that was kept is whole, and removes it. */
static void take_back(const char *path)
{
	struct recording again;
	struct lines lines;
	struct stat st;
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0 && !fstat(fd, &st));
	assert_int_equal(st.st_mode & 0777, 0600);
	recording_init(&again);
	lines_init(&lines, fd);
	assert_int_equal(recording_read(&again, &lines, NULL), 0);
	assert_true(again.complete);
	assert_string_equal(recording_meta(&again, "title"), "kept");
	lines_release(&lines);
	recording_release(&again);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void output_rescue__takes_the_first_place(void **state)
{
	char *path;

	(void)state;
	assert_int_equal(output_rescue(&output, &path, NULL), 0);
	assert_int_equal(strncmp(path, folder, strlen(folder)), 0);
	take_back(path);
	free(path);
}

static void output_rescue__takes_the_next_place(void **state)
{
	char *path;

	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	assert_int_equal(output_rescue(&output, &path, NULL), 0);
	take_back(path);
	free(path);
}

/* There are links at the names that the file would have in this second and in the next ones. */
static void output_rescue__follows_no_link(void **state)
{
	enum { SECONDS = 5 };
	char *links[SECONDS], date[32], *path;
	time_t now = time(NULL);
	struct tm tm;

	(void)state;
	for (int i = 0; i < SECONDS; i++, now++) {
		strftime(date, sizeof(date), "%Y%m%d-%H%M%S", localtime_r(&now, &tm));
		links[i] = xasprintf("%s/sample-bt-%s-%d.rec", folder, date, (int)getpid());
		assert_int_equal(symlink("elsewhere", links[i]), 0);
	}
	assert_int_equal(output_rescue(&output, &path, NULL), 0);
	assert_int_not_equal(strncmp(path, folder, strlen(folder)), 0);
	take_back(path);
	free(path);
	for (int i = 0; i < SECONDS; i++) {
		unlink(links[i]);
		free(links[i]);
	}
}

static void output_rescue__says_when_there_is_no_place(void **state)
{
	struct strbuf err = STRBUF_INIT;
	struct rlimit old, none;
	char *path;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	none = (struct rlimit){.rlim_cur = 1, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(output_rescue(&output, &path, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_null(path);
	assert_non_null(strstr(err.buf, "File too large"));
	strbuf_release(&err);
}

static void output_check__sees_what_cannot_be(void **state)
{
	struct strbuf err = STRBUF_INIT;
	char *path = xasprintf("%s/a.rec", folder);

	(void)state;
	assert_int_equal(output_check("a.rec", &err), 0);
	assert_int_equal(output_check(path, &err), 0);
	assert_int_equal(err.len, 0);
	assert_int_equal(output_check("/nonexistent/a.rec", &err), -1);
	assert_string_equal(
		err.buf, "cannot write '/nonexistent/a.rec': No such file or directory\n");
	strbuf_reset(&err);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(output_check(path, &err), -1);
	assert_non_null(strstr(err.buf, "Is a directory"));
	assert_int_equal(rmdir(path), 0);
	strbuf_release(&err);
	free(path);
}

enum { OTHER = 54321 };

static int check_path(const void *path, struct strbuf *err)
{
	return output_check(path, err);
}

/* The file is written as the caller of sudo, not as root. */
static void output_check__is_the_callers(void **state)
{
	struct strbuf err = STRBUF_INIT;
	char *path = xasprintf("%s/a.rec", folder);

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(user_check(check_path, path, &err), 0);
	setenv("SUDO_UID", "54321", 1);
	setenv("SUDO_GID", "54321", 1);
	assert_int_equal(user_check(check_path, path, &err), -1);
	assert_non_null(strstr(err.buf, "Permission denied"));
	strbuf_reset(&err);
	assert_int_equal(chown(folder, OTHER, OTHER), 0);
	assert_int_equal(user_check(check_path, path, &err), 0);
	assert_int_equal(err.len, 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	strbuf_release(&err);
	free(path);
}

/* A folder such as /tmp; NAME may be too long for a temporary name. */
static void output_check__sees_what_cannot_be_renamed(void **state)
{
	struct strbuf err = STRBUF_INIT;
	char *path = xasprintf("%s/a.rec", folder), *long_path = xasprintf("%s/%0252d", folder, 0);

	(void)state;
	assert_int_equal(output_check(long_path, &err), -1);
	assert_non_null(strstr(err.buf, "File name too long"));
	strbuf_reset(&err);
	if (!geteuid()) {
		assert_int_equal(chmod(folder, 01777), 0);
		assert_int_equal(close(open(path, O_CREAT, 0600)), 0);
		setenv("SUDO_UID", "54321", 1);
		setenv("SUDO_GID", "54321", 1);
		assert_int_equal(user_check(check_path, path, &err), -1);
		assert_non_null(strstr(err.buf, "Operation not permitted"));
		unsetenv("SUDO_UID");
		unsetenv("SUDO_GID");
		assert_int_equal(unlink(path), 0);
	}
	strbuf_release(&err);
	free(long_path);
	free(path);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(output_rescue__takes_the_first_place),
		IN_FOLDER(output_rescue__takes_the_next_place),
		IN_FOLDER(output_rescue__follows_no_link),
		IN_FOLDER(output_rescue__says_when_there_is_no_place),
		IN_FOLDER(output_check__sees_what_cannot_be),
		IN_FOLDER(output_check__sees_what_cannot_be_renamed),
		IN_FOLDER(output_check__is_the_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
