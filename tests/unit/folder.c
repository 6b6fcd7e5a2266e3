/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where our files are. */
#include "lib/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void assert_cache(const char *folder, bool is_used)
{
	char *cache = folder_cache();

	assert_int_equal(!strcmp(cache, folder), is_used);
	free(cache);
}

/* The folder that systemd gives to a service is used only if no other user can write to it. */
static void folder_cache__service(void **state)
{
	char folder[] = "/tmp/folder.XXXXXX", link[] = "/tmp/folder.XXXXXX/link";

	(void)state;
	assert_non_null(mkdtemp(folder));
	setenv("CACHE_DIRECTORY", folder, 1);
	assert_cache(folder, true);
	chmod(folder, 0770);
	assert_cache(folder, false);
	chmod(folder, 0702);
	assert_cache(folder, false);
	chmod(folder, 0755);
	assert_cache(folder, true);
	setenv("CACHE_DIRECTORY", folder + 1, 1); /* a relative path */
	assert_cache(folder + 1, false);

	memcpy(link, folder, strlen(folder));
	assert_int_equal(symlink(folder, link), 0);
	setenv("CACHE_DIRECTORY", link, 1);
	assert_cache(link, false);
	unlink(link);
	setenv("CACHE_DIRECTORY", link, 1); /* which does not exist */
	assert_cache(link, false);
	rmdir(folder);
	unsetenv("CACHE_DIRECTORY");
}

/* A folder of another user is not used. */
static void folder_cache__other_user(void **state)
{
	char folder[] = "/tmp/folder.XXXXXX";

	(void)state;
	if (geteuid())
		skip();
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chown(folder, 1, 1), 0);
	setenv("CACHE_DIRECTORY", folder, 1);
	assert_cache(folder, false);
	unsetenv("CACHE_DIRECTORY");
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folder_cache__service),
		cmocka_unit_test(folder_cache__other_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
