/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are cached by build-id. */
#include "lib/cache.h"
#include "symbol_test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static const struct cache cache = {dir, ".names", 20, 1 << 20};
static const char id[] = "0123456789abcdef";

static char *path_of(const char *build_id)
{
	return xasprintf("%s/%s.names", dir, build_id);
}

static size_t count_files(void)
{
	struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	strbuf_addf(&sb, "find '%s' -mindepth 1 | wc -l", dir);
	FILE *pipe = popen(sb.buf, "r");

	assert_int_equal(fscanf(pipe, "%zu", &n), 1);
	pclose(pipe);
	strbuf_release(&sb);
	return n;
}

static bool is_there(const char *build_id)
{
	char *path = path_of(build_id);
	bool there = !access(path, F_OK);

	free(path);
	return there;
}

static bool is_kept(const char *build_id)
{
	int fd = cache_open(&cache, build_id);

	close(fd);
	return fd >= 0;
}

static bool keep(const char *build_id, const char *text)
{
	char *temporary = NULL;
	int fd = cache_begin(&cache, build_id, &temporary);

	if (fd < 0) {
		assert_null(temporary);
		return false;
	}
	assert_int_equal(write_whole(fd, text, strlen(text)), 0);
	cache_commit(&cache, fd, temporary);
	return true;
}

static void empty(void)
{
	run("rm -r '%s'; mkdir '%s'", dir, dir);
}

static void test_kept(void **state)
{
	char *path = path_of(id), read_back[8] = "", *temporary;
	struct cache nowhere = cache;
	struct stat st;

	(void)state;
	assert_false(is_kept(id));
	assert_true(keep(id, "first"));
	assert_true(keep(id, "second"));
	assert_int_equal(count_files(), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	int fd = cache_open(&cache, id);

	assert_int_equal(read(fd, read_back, sizeof(read_back)), 6);
	assert_string_equal(read_back, "second");
	assert_int_equal(write(fd, "x", 1), -1);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	nowhere.folder = "/no/where";
	assert_int_equal(cache_begin(&nowhere, id, &temporary), -1);
	assert_int_equal(cache_open(&nowhere, id), -1);
	empty();
	free(path);
}

/* An incomplete file is never in place. */
static void test_begun(void **state)
{
	char *temporary, *other;

	(void)state;
	int fd = cache_begin(&cache, id, &temporary), fd2 = cache_begin(&cache, id, &other);

	assert_string_not_equal(temporary, other);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(write_whole(fd, "half", 4), 0);
	assert_false(is_kept(id));
	cache_drop(fd, temporary);
	assert_int_equal(count_files(), 1);
	cache_commit(&cache, fd2, other);
	assert_int_equal(count_files(), 1);
	assert_true(is_kept(id));
	/* an incomplete file cannot replace it */
	fd = cache_begin(&cache, id, &temporary);
	empty();
	char *path = path_of(id);

	assert_int_equal(mkdir(path, 0700), 0);
	cache_commit(&cache, fd, temporary);
	assert_false(is_kept(id));
	assert_int_equal(count_files(), 1);
	free(path);
	empty();
}

static void test_names(void **state)
{
	static const char *const ids[] = {
		"", "0123456", "../01234567", "0123456789ABCDEF", "01234567/", "0123456g"};
	char longest[130] = "";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
		assert_false(keep(ids[i], ""));
		assert_false(is_kept(ids[i]));
	}
	memset(longest, 'a', 129);
	assert_false(keep(longest, ""));
	assert_int_equal(count_files(), 0);
	longest[128] = '\0';
	assert_true(keep(longest, ""));
	assert_true(is_kept(longest));
	empty();
}

/* A link is not followed and another user's file is not trusted; neither is removed. */
static void test_owner(void **state)
{
	char *path = path_of(id), *other = in_dir("other");

	(void)state;
	keep(id, "");
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_false(is_kept(id));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(is_kept(id));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rename(other, path), 0);
	assert_true(is_kept(id));
	if (!geteuid()) {
		assert_int_equal(chown(path, 1302, 1302), 0);
		assert_false(is_kept(id));
	}
	empty();
	free(path);
	free(other);
}

/* Makes a file called NAME of SIZE bytes, last used at USED. */
static void make_sparse(const char *name, off_t size, time_t used)
{
	struct timespec times[2] = {{.tv_sec = used}, {.tv_sec = used}};
	char *path = in_dir(name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
	free(path);
}

static void test_bytes(void **state)
{
	(void)state;
	make_sparse("aaaaaaaa.names", 800 << 10, 1000);
	make_sparse("bbbbbbbb.names", 100 << 10, 2000);
	make_sparse("cccccccc.names", 200 << 10, 3000);
	make_sparse("11111111.unwind", 2 << 20, 10);
	make_sparse("22222222.names.old", 2 << 20, 10);
	make_sparse("not-ours.names", 2 << 20, 10);
	keep("dddddddd", "");
	assert_false(is_there("aaaaaaaa"));
	assert_true(is_there("bbbbbbbb") && is_there("cccccccc") && is_there("dddddddd"));
	assert_int_equal(count_files(), 6);
	/* too large by itself */
	make_sparse("aaaaaaaa.names", 2 << 20, time(NULL) + 100);
	keep("dddddddd", "");
	assert_int_equal(count_files(), 3);
	empty();
}

static void test_count(void **state)
{
	char name[32];

	(void)state;
	keep("ffffffff", "");
	run("touch -d @1000 '%s/ffffffff.names'", dir);
	assert_true(is_kept("ffffffff")); /* it was just used */
	/* left by a process that died */
	make_sparse("99999999.names.AbCdEf", 1, 1);
	for (unsigned int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "%08x.names", i);
		make_sparse(name, 1, 1000 + i);
	}
	keep("eeeeeeee", "");
	assert_int_equal(count_files(), cache.files);
	assert_false(is_there("0000000b"));
	assert_true(is_there("0000000c"));
	assert_true(is_there("ffffffff") && is_there("eeeeeeee"));
	empty();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_begun),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_count),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
