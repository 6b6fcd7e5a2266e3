/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folder.h"
#include "lib/util.h"

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

char *folder_cache(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return make(xasprintf("%s/flametap", cache));
	return make(xasprintf("%s/.cache/flametap", home && home[0] == '/' ? home : "/root"));
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
