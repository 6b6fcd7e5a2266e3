/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files from debuginfod servers, as far as no server is needed: URLs of folders work, too. */
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/fetch/debuginfod.h"
#include "symbol/fetch/download.h"
#include "symbol/fetch/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

enum { NOBODY = 65534 };

#define ID "00112233445566778899aabbccddeeff00112233"

static char home[64];

/* Runs as a user other than root; root's cache would not be where the environment says. */
static int set_up(void **state)
{
	static const char *const names[] = {"DEBUGINFOD_CACHE_PATH", "DEBUGINFOD_MAXSIZE",
		"DEBUGINFOD_MAXTIME", "DEBUGINFOD_PROGRESS", "SUDO_UID"};

	(void)state;
	if (!geteuid() && seteuid(NOBODY))
		return -1;
	strcpy(home, "/tmp/flametap.XXXXXX");
	if (!mkdtemp(home))
		return -1;
	setenv("HOME", home, 1);
	setenv("XDG_CACHE_HOME", home, 1);
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	return 0;
}

static int tear_down(void **state)
{
	char *cmd = xasprintf("rm -rf '%s'", home);
	int ret = system(cmd);

	(void)state;
	free(cmd);
	return getuid() ? ret : ret | seteuid(getuid());
}

/* Writes the file PATH in our folder, and the folders above it. */
static char *put(const char *path, const char *text)
{
	char *whole = xasprintf("%s/%s", home, path);

	assert_int_equal(folder_make_above(whole, NULL), 0);
	FILE *f = fopen(whole, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
	return whole;
}

/* ---- servers ---- */

static void test_names(void **state)
{
	static const struct {
		const char *url, *name;
	} names[] = {
		{"https://debuginfod.example/", "https://debuginfod.example"},
		{"https://debuginfod.example///", "https://debuginfod.example"},
		{"http://joe:secret@host:8002/a@b/ http://other", "http://host:8002/a@b"},
		{"http://joe:p@ss@host", "http://host"},
		{"joe:secret@host:8002/x", "host:8002/x"},
		{"http://host/x?token=secret", "http://host/x"},
		{"http://host/x#secret", "http://host/x"},
		{"http://joe:secret@host/pre/buildid/0123/debuginfo", "http://host/pre"},
		{"http://host/buildid/0123/debuginfo", "http://host"},
		{"file:///a/folder", "file:///a/folder"},
		{"http://a\033[2Jb", "http://a\\x1b[2Jb"},
		{"http://joe:secret@", "http://"},
		{"http://", "http://"},
		{"@", ""},
		{"", ""},
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		strbuf_reset(&sb);
		servers_add_name(&sb, names[i].url);
		assert_string_equal(sb.buf, names[i].name);
	}
	strbuf_release(&sb);
}

static void expect_names(const char *urls, const char *expect)
{
	struct strbuf sb = STRBUF_INIT;

	setenv("DEBUGINFOD_URLS", urls, 1);
	servers_add_names(&sb);
	assert_string_equal(sb.buf, expect);
	strbuf_release(&sb);
}

static void test_all_names(void **state)
{
	(void)state;
	expect_names("", "");
	expect_names(" http://x:y@a/ ", "http://a");
	expect_names("http://a http://b\thttp://c", "http://a and 2 more");
	expect_names("ima:enforcing http://a ima:ignore http://b", "http://a and 1 more");
}

static void test_urls_of_folder(void **state)
{
	char *urls = servers_of_folder(home);

	(void)state;
	assert_string_equal(urls, "");
	free(urls);
	free(put("b.urls", "http://b\r\n"));
	free(put("a.urls", "http://a\nhttp://aa"));
	free(put("c.url", "http://c"));
	urls = servers_of_folder(home);
	char *b = strstr(urls, "http://b"), *a = strstr(urls, "http://a ");

	assert_true(a && b && a < b);
	assert_non_null(strstr(urls, "http://aa "));
	assert_null(strstr(urls, "http://c"));
	assert_null(strpbrk(urls, "\r\n"));
	free(urls);
}

static void test_has_servers(void **state)
{
	(void)state;
	assert_true(debuginfod_has_servers());
	setenv("DEBUGINFOD_URLS", "", 1);
	assert_false(debuginfod_has_servers());
	setenv("DEBUGINFOD_URLS", " \t ", 1);
	assert_false(debuginfod_has_servers());
	assert_string_equal(getenv("DEBUGINFOD_URLS"), " \t ");
	/* under sudo the variable of root does not count */
	unsetenv("DEBUGINFOD_URLS");
	setenv("SUDO_UID", "1000", 1);
	char *of_system = servers_of_folder("/etc/debuginfod");

	assert_int_equal(debuginfod_has_servers(), !!of_system[strspn(of_system, " \t\n")]);
	assert_string_equal(getenv("DEBUGINFOD_URLS"), of_system);
	free(of_system);
}

static void age_stamp(int seconds)
{
	char *cmd = xasprintf("touch -d @%lld '%s'/flametap/debuginfod-silent-*",
		(long long)time(NULL) - seconds, home);

	assert_int_equal(system(cmd), 0);
	free(cmd);
}

static void test_silence(void **state)
{
	(void)state;
	assert_int_equal(servers_silent_s(), -1);
	servers_set_silent(true);
	assert_in_range(servers_silent_s(), 0, 100);
	setenv("DEBUGINFOD_URLS", "http://other/", 1);
	assert_int_equal(servers_silent_s(), -1);
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	age_stamp(SERVERS_REST_S / 2);
	assert_in_range(servers_silent_s(), SERVERS_REST_S / 2, SERVERS_REST_S - 1);
	age_stamp(SERVERS_REST_S + 1);
	assert_int_equal(servers_silent_s(), -1);
	age_stamp(-1000); /* the clock was wrong */
	assert_int_equal(servers_silent_s(), -1);
	servers_set_silent(true);
	assert_in_range(servers_silent_s(), 0, 100);
	servers_set_silent(false);
	assert_int_equal(servers_silent_s(), -1);
}

/* ---- files ---- */

static void expect_fetch(
	const char *id, enum debuginfod_result result, const char *path, const char *note)
{
	struct debuginfod_options options = {.quiet = true};
	struct debuginfod_file file = {
		.build_id = id, .name = "lib", .path = (char *)1, .result = DEBUGINFOD_FAILED};
	struct strbuf notes = STRBUF_INIT;

	debuginfod_fetch(&file, 1, &options, &notes);
	assert_string_equal(notes.buf, note);
	assert_int_equal(file.result, result);
	assert_int_equal(!path, !file.path);
	if (path)
		assert_string_equal(file.path, path);
	free(file.path);
	strbuf_release(&notes);
}

static void test_no_build_id(void **state)
{
	static const char *const bad[] = {
		"", "0", "012", "0123AB", "../../etc", "01/23", "0x12", "01 ", ID ID ID ID};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		expect_fetch(bad[i], DEBUGINFOD_UNKNOWN, NULL, "");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(servers_silent_s(), -1); /* no server is marked as silent */
}

static void test_cache(void **state)
{
	char *path = put("debuginfod_client/" ID "/debuginfo", "file");
	char *other = put("elsewhere/" ID "/debuginfo", "file");
	struct debuginfod_file file = {.build_id = ID, .name = "lib", .path = other};
	struct stat st;

	(void)state;
	expect_fetch(ID, DEBUGINFOD_FOUND, path, "");
	debuginfod_reject(&file); /* the file is not in the cache, so it is not removed */
	assert_int_equal(stat(other, &st), 0);
	assert_int_equal(stat(path, &st), 0);
	file.path = NULL;
	debuginfod_reject(&file);
	assert_int_equal(stat(path, &st), 0);
	file.path = path;
	debuginfod_reject(&file);
	assert_int_equal(stat(path, &st), -1);
	free(path);
	/* the library's other folders; the first one that counts is put last */
	path = put(".debuginfod_client_cache/" ID "/debuginfo", "file");
	expect_fetch(ID, DEBUGINFOD_FOUND, path, "");
	*strrchr(other, '/') = '\0';
	*strrchr(other, '/') = '\0';
	setenv("DEBUGINFOD_CACHE_PATH", other, 1);
	free(path);
	path = xasprintf("%s/" ID "/debuginfo", other);
	expect_fetch(ID, DEBUGINFOD_FOUND, path, "");
	free(path);
	free(other);
}

static void set_folder_as_server(void)
{
	char *url = xasprintf("file://%s/server", home);

	setenv("DEBUGINFOD_URLS", url, 1);
	free(url);
}

static void skip_without_library(void)
{
	struct strbuf err = STRBUF_INIT;
	bool there = download_library_open("libdebuginfod.so.1", &err);

	if (!there)
		printf("# skipped: %s\n", err.buf);
	strbuf_release(&err);
	if (!there)
		skip();
}

static void on_interrupt(int sig)
{
	(void)sig;
}

static void test_fetch(void **state)
{
	char *path = xasprintf("%s/debuginfod_client/" ID "/debuginfo", home);
	struct sigaction ours = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, after;

	(void)state;
	skip_without_library();
	set_folder_as_server();
	free(put("server/buildid/" ID "/debuginfo", "what came"));
	sigaction(SIGINT, &ours, NULL);
	expect_fetch(ID, DEBUGINFOD_FOUND, path, "");
	expect_fetch("0123", DEBUGINFOD_UNKNOWN, NULL, "");
	sigaction(SIGINT, NULL, &after);
	assert_ptr_equal(after.sa_handler, on_interrupt);
	assert_int_equal(after.sa_flags & SA_RESTART, SA_RESTART);
	signal(SIGINT, SIG_DFL);
	free(path);
}

static void test_unknown_again(void **state)
{
	struct debuginfod_options options = {.quiet = true};
	struct debuginfod_file file = {.build_id = ID, .name = "lib"};
	struct strbuf notes = STRBUF_INIT;

	(void)state;
	skip_without_library();
	set_folder_as_server();
	debuginfod_fetch(&file, 1, &options, &notes);
	assert_int_equal(file.result, DEBUGINFOD_UNKNOWN);
	free(put("server/buildid/" ID "/debuginfo", "it came later"));
	debuginfod_fetch(&file, 1, &options, &notes);
	assert_int_equal(file.result, DEBUGINFOD_UNKNOWN);
	options.again = true;
	debuginfod_fetch(&file, 1, &options, &notes);
	assert_int_equal(file.result, DEBUGINFOD_FOUND);
	assert_string_equal(notes.buf, "");
	free(file.path);
	strbuf_release(&notes);
}

static void test_no_cache(void **state)
{
	char *file = put("file", "no folder"),
	     *folder = xasprintf("%s/cache/of/libdebuginfod", file);
	char *note = xasprintf("debuginfod: cannot make '%s/cache': Not a directory; 'lib' was not "
			       "fetched\n",
		file);

	(void)state;
	skip_without_library();
	setenv("DEBUGINFOD_CACHE_PATH", folder, 1);
	expect_fetch(ID, DEBUGINFOD_LEFT_OUT, NULL, note);
	free(note);
	free(folder);
	free(file);
}

static void test_no_server(void **state)
{
	(void)state;
	setenv("DEBUGINFOD_URLS", "", 1);
	expect_fetch(ID, DEBUGINFOD_LEFT_OUT, NULL,
		"debuginfod: no server is configured; 'lib' was not fetched\n");
}

static void test_library(void **state)
{
	struct strbuf err = STRBUF_INIT;

	(void)state;
	assert_null(download_library_open("libno-such-library.so.1", &err));
	assert_string_equal(err.buf, "libno-such-library.so.1 is not installed: apt install "
				     "libdebuginfod1 (dnf install elfutils-debuginfod-client)");
	strbuf_reset(&err);
	assert_null(download_library_open("libc.so.6", &err));
	assert_non_null(strstr(err.buf, "libc.so.6 is too old: it has no debuginfod_begin"));
	strbuf_release(&err);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_names),
		TEST(test_all_names),
		TEST(test_urls_of_folder),
		TEST(test_has_servers),
		TEST(test_silence),
		TEST(test_no_build_id),
		TEST(test_cache),
		TEST(test_fetch),
		TEST(test_unknown_again),
		TEST(test_no_cache),
		TEST(test_no_server),
		TEST(test_library),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
