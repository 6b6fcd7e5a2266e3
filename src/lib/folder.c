/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folder.h"
#include "util.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_make_above(const char *path, struct strbuf *err)
{
	char *copy = xstrdup(path);
	int ret = 0;

	for (char *s = strchr(copy + 1, '/'); s && !ret; s = strchr(s + 1, '/')) {
		*s = '\0';
		if (mkdir(copy, 0700) && errno != EEXIST)
			ret = fail(err, "cannot make '%s': %s", copy, strerror(errno));
		*s = '/';
	}
	free(copy);
	return ret;
}

/* Makes PATH and its parents. Errors are ignored: the later use of the directory will fail. */
static char *make(char *path)
{
	char *below = xasprintf("%s/", path);

	folder_make_above(below, NULL);
	free(below);
	return path;
}

const char *folder_home(void)
{
	const struct passwd *pw = geteuid() ? NULL : getpwuid(0);
	const char *path = geteuid() ? getenv("HOME") : pw ? pw->pw_dir : NULL;

	return path && path[0] == '/' ? path : "/root";
}

/* Returns the folder in VARIABLE, which root ignores, or NAME in the home directory. */
static char *home_folder(const char *variable, const char *name)
{
	const char *folder = geteuid() ? getenv(variable) : NULL;

	return folder && folder[0] == '/' ? xstrdup(folder)
					  : xasprintf("%s/%s", folder_home(), name);
}

char *folder_caches(void)
{
	return home_folder("XDG_CACHE_HOME", ".cache");
}

char *folder_config(void)
{
	return home_folder("XDG_CONFIG_HOME", ".config");
}

/* Returns the folder that systemd has made for this service, or NULL. */
static const char *service_cache(void)
{
	const char *folder = getenv("CACHE_DIRECTORY");
	struct stat st;

	return folder && folder[0] == '/' && !lstat(folder, &st) && S_ISDIR(st.st_mode) &&
			       st.st_uid == geteuid() && !(st.st_mode & 022)
		       ? folder
		       : NULL;
}

char *folder_cache(void)
{
	if (service_cache())
		return xstrdup(service_cache());
	char *caches = folder_caches(), *folder = xasprintf("%s/flametap", caches);

	free(caches);
	return make(folder);
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
