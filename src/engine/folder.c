/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folder.h"
#include "lib/util.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes PATH and what is missing above it, for us alone; who uses it sees whether that worked. */
static char *make(char *path)
{
	for (char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		mkdir(path, 0700);
		*s = '/';
	}
	mkdir(path, 0700);
	return path;
}

/* sudo may leave the caller's HOME; what root writes and trusts must not be there. */
static const char *home(void)
{
	const struct passwd *pw = geteuid() ? NULL : getpwuid(0);
	const char *path = geteuid() ? getenv("HOME") : pw ? pw->pw_dir : NULL;

	return path && path[0] == '/' ? path : "/root";
}

char *folder_cache(void)
{
	const char *cache = geteuid() ? getenv("XDG_CACHE_HOME") : NULL;

	if (cache && cache[0] == '/')
		return make(xasprintf("%s/flametap", cache));
	return make(xasprintf("%s/.cache/flametap", home()));
}

char *folder_run(void)
{
	const char *run = geteuid() ? getenv("XDG_RUNTIME_DIR") : "/run";

	if (run && run[0] == '/')
		return make(xasprintf("%s/flametap", run));
	char *cache = folder_cache(), *folder = make(xasprintf("%s/run", cache));

	free(cache);
	return folder;
}
