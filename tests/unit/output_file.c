/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The destinations of a view's result. */
#include "view/output_file.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/flametap.XXXXXX");
	unsetenv("DISPLAY");
	unsetenv("WAYLAND_DISPLAY");
	unsetenv("BROWSER");
	return !mkdtemp(folder) || chdir(folder) || setenv("TMPDIR", folder, 1);
}

/* Removes all files and returns their number. */
static size_t empty_folder(void)
{
	DIR *dir = opendir(".");
	size_t nr = 0;

	assert_non_null(dir);
	for (const struct dirent *e; (e = readdir(dir));)
		nr += *e->d_name != '.' && !unlink(e->d_name);
	closedir(dir);
	return nr;
}

static int leave_folder(void **state)
{
	(void)state;
	empty_folder();
	return chdir("/") || rmdir(folder);
}

static int write_text(const char *path, const char *text, bool keep)
{
	struct output_file f = {.path = path};
	FILE *out;

	if (output_file_check(&f))
		return -2;
	if (!(out = output_file_begin(&f)))
		return -3;
	fputs(text, out);
	return output_file_end(&f, keep);
}

/* Returns 1 if the file has this text, 0 if it has another one, or -1 if there is no file. */
static int has_text(const char *path, const char *text)
{
	char buf[256] = "";
	FILE *in = fopen(path, "r");

	if (!in)
		return -1;
	size_t n = fread(buf, 1, sizeof(buf) - 1, in);

	fclose(in);
	return n == strlen(text) && !strcmp(buf, text);
}

static void expect_text(const char *path, const char *text)
{
	assert_int_equal(has_text(path, text), 1);
}

static void output_file__is_whole_or_as_it_was(void **state)
{
	struct output_file f = {.path = "a"};
	struct stat st;

	(void)state;
	assert_int_equal(write_text("a", "old", true), 0);
	assert_int_equal(stat("a", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(write_text("a", "failed", false), -1);
	expect_text("a", "old");
	assert_non_null(output_file_begin(&f));
	fputs("new", f.out);
	fflush(f.out);
	expect_text("a", "old");
	assert_int_equal(output_file_end(&f, true), 0);
	expect_text("a", "new");
	assert_int_equal(empty_folder(), 1);
}

static void output_file__cannot_be_written(void **state)
{
	(void)state;
	assert_int_equal(write_text("none/a", "", true), -2);
	assert_int_equal(write_text("/", "", true), -2);
	assert_int_equal(empty_folder(), 0);
}

/* A link is replaced like a file. */
static void output_file__link(void **state)
{
	(void)state;
	assert_int_equal(write_text("a", "old", true), 0);
	assert_int_equal(symlink("a", "b"), 0);
	assert_int_equal(write_text("b", "new", true), 0);
	expect_text("a", "old");
	expect_text("b", "new");
	assert_int_equal(empty_folder(), 2);
}

static void output_file__fifo(void **state)
{
	struct stat st;
	char text[8] = "";

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	int fd = open("fifo", O_RDONLY | O_NONBLOCK);

	assert_int_equal(write_text("fifo", "text", true), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 4);
	assert_string_equal(text, "text");
	close(fd);
	assert_int_equal(stat("fifo", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(empty_folder(), 1);
}

/* It has a reader, as opening it would wait for ever otherwise. */
static void output_file__foreign_fifo(void **state)
{
	int fd;

	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(symlink("fifo", "link"), 0);
	fd = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_int_equal(chown("fifo", 54321, 54321), 0);
	assert_int_equal(write_text("fifo", "text", true), -2);
	assert_int_equal(write_text("link", "text", true), -2);
	struct output_file f = {.path = "fifo"}; /* it was created after the check */

	assert_null(output_file_begin(&f));
	close(fd);
	assert_int_equal(empty_folder(), 2);
}

/* Replacing the file to which stderr leads would lose the messages in it. */
static void output_file__of_stderr(void **state)
{
	int fd = open("err", O_WRONLY | O_CREAT | O_APPEND, 0600), old = dup(STDERR_FILENO);

	(void)state;
	assert_int_equal(write(fd, "before ", 7), 7);
	dup2(fd, STDERR_FILENO);
	int ret = write_text("/dev/stderr", "text", true), other = write_text("err", " too", true);

	dup2(old, STDERR_FILENO);
	assert_int_equal(ret | other, 0);
	expect_text("err", "before text too");
	close(fd);
	close(old);
	assert_int_equal(empty_folder(), 1);
}

static void write_and_open(const char *path)
{
	struct output_file f = {.path = path, .open = true, .ending = ".svg"};
	FILE *out = output_file_begin(&f);

	assert_non_null(out);
	fputs("text", out);
	assert_int_equal(output_file_end(&f, true), 0);
}

static bool is_shown(const char *path)
{
	for (int i = 0; i < 6000; i++) {
		if (has_text("shown", path) == 1)
			return true;
		usleep(10000);
	}
	return false;
}

static void make_browser(void)
{
	FILE *out = fopen("browser", "w");

	assert_non_null(out);
	fprintf(out, "#!/bin/sh\nprintf '%%s' \"$*\" >%s/new && mv %s/new %s/shown\n", folder,
		folder, folder);
	fclose(out);
	assert_int_equal(chmod("browser", 0700), 0);
}

static void browser__shows_the_file(void **state)
{
	char *browser = xasprintf("no-such-browser:%s/browser --tab file=%%s", folder);
	char *expected = xasprintf("--tab file=%s/-a b.svg", folder);

	(void)state;
	make_browser();
	setenv("BROWSER", browser, 1);
	write_and_open("-a b.svg");
	assert_true(is_shown(expected));
	expect_text("-a b.svg", "text");
	free(browser);
	free(expected);
	assert_int_equal(empty_folder(), 3);
}

/* The result is written even if there is no browser. */
static void browser__none(void **state)
{
	(void)state;
	setenv("BROWSER", "no-such-browser", 1);
	write_and_open("a.svg");
	unsetenv("BROWSER");
	write_and_open("b.svg");
	expect_text("a.svg", "text");
	assert_int_equal(empty_folder(), 2);
}

static void open__without_a_path(void **state)
{
	struct dirent **list;
	struct stat st;

	(void)state;
	write_and_open(NULL);
	write_and_open(NULL);
	int nr = scandir(".", &list, NULL, alphasort);

	assert_int_equal(nr, 4);
	for (int i = 0; i < nr; i++) {
		if (*list[i]->d_name != '.') {
			assert_memory_equal(list[i]->d_name, "flametap-", 9);
			assert_true(ends_with(list[i]->d_name, ".svg"));
			expect_text(list[i]->d_name, "text");
			assert_int_equal(stat(list[i]->d_name, &st), 0);
			assert_int_equal(st.st_mode & 0777, 0600);
		}
		free(list[i]);
	}
	free(list);
	assert_int_equal(empty_folder(), 2);
	setenv("TMPDIR", "none", 1);
	struct output_file f = {.open = true, .ending = ".svg"};

	assert_null(output_file_begin(&f));
	setenv("TMPDIR", folder, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_file__is_whole_or_as_it_was),
		cmocka_unit_test(output_file__cannot_be_written),
		cmocka_unit_test(output_file__link),
		cmocka_unit_test(output_file__fifo),
		cmocka_unit_test(output_file__foreign_fifo),
		cmocka_unit_test(output_file__of_stderr),
		cmocka_unit_test(browser__shows_the_file),
		cmocka_unit_test(browser__none),
		cmocka_unit_test(open__without_a_path),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
