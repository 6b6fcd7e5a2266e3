/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stap_cache.h"
#include "lib/util.h"

#include <ftw.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_OPEN = 8 }; /* directories that nftw() may have open */

/* For forget_one(), to which nftw() gives no context. */
static time_t limit;
static size_t nr_removed;

static int forget_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	if (type == FTW_F && !st->st_size && st->st_mtime < limit &&
		begins_with(path + at->base, strlen(path + at->base), "tracequery_") &&
		!unlink(path))
		nr_removed++;
	return 0;
}

/*
 * Returns stap's cache, which the caller frees, or NULL if there is no home directory. For root,
 * folder_home() may be another directory; stap takes $HOME.
 */
static char *cache_path(void)
{
	const char *folder = getenv("SYSTEMTAP_DIR"), *home = getenv("HOME");
	const struct passwd *user;

	if (folder)
		return xasprintf("%s/cache", folder);
	if (!home && (user = getpwuid(geteuid())))
		home = user->pw_dir;
	return home ? xasprintf("%s/.systemtap/cache", home) : NULL;
}

size_t stap_cache_forget_failures(time_t before)
{
	char *path = cache_path();

	limit = before;
	nr_removed = 0;
	if (path)
		nftw(path, forget_one, MAX_OPEN, FTW_PHYS);
	free(path);
	return nr_removed;
}
