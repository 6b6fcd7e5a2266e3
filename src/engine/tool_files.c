/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tool_files.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".stp";

/* A script that exists if the data folder is there. */
static const char any_script[] = "on-cpu";

/* ---- the data folder ---- */

/* Returns the real path of FOLDER if it has the script stap/NAME.stp, or NULL. */
static char *try_folder(const char *folder, const char *name)
{
	char *file = xasprintf("%s/stap/%s%s", folder, name, suffix);
	char *real = access(file, R_OK) ? NULL : realpath(folder, NULL);

	free(file);
	return real;
}

bool tool_files_program(char folder[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash = n > 0 ? memrchr(folder, '/', (size_t)n) : NULL;

	if (slash)
		*slash = '\0';
	return slash;
}

/* Returns the data folder if it has the script NAME, or NULL. */
static char *data_folder(const char *name)
{
	static const char *const beside[] = {"..", "../../..", "../share/flametap"};
	const char *env = getenv("FLAMETAP_DATADIR");
	char exe[PATH_MAX];
	char *found = env ? try_folder(env, name) : NULL;
	bool is_known = tool_files_program(exe);

	for (size_t i = 0; is_known && !found && i < ARRAY_LEN(beside); i++) {
		char *folder = xasprintf("%s/%s", exe, beside[i]);

		found = try_folder(folder, name);
		free(folder);
	}
	return found ? found : try_folder(PKGDATADIR, name);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A NULL-terminated list of texts. */
struct name_list {
	char **list;
	size_t nr, alloc;
};

static void add_name(struct name_list *names, char *name)
{
	ALLOC_GROW(names->list, names->nr + 1, names->alloc);
	names->list[names->nr++] = name;
}

static void end_names(struct name_list *names)
{
	if (names->nr)
		qsort(names->list, names->nr, sizeof(*names->list), compare_names);
	ALLOC_GROW(names->list, names->nr, names->alloc);
	names->list[names->nr] = NULL;
}

/*
 * Returns the folders in FOLDER/tapsets, sorted. stap itself does not look into the folders of a -I
 * folder.
 */
static char **list_tapsets(const char *folder)
{
	char *path = xasprintf("%s/tapsets", folder);
	DIR *dir = opendir(path);
	struct name_list names = {0};

	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && e->d_type != DT_REG)
			add_name(&names, xasprintf("%s/%s", path, e->d_name));
	if (dir)
		closedir(dir);
	end_names(&names);
	free(path);
	return names.list;
}

/* ---- users' own scripts ---- */

/* Returns the folder number I of own scripts, or NULL if there are no more. The caller frees it. */
static char *own_folder(size_t i)
{
	char *config, *folder;

	if (i)
		return i == 1 ? xstrdup("/etc/flametap/stap") : NULL;
	config = folder_config();
	folder = xasprintf("%s/flametap/stap", config);
	free(config);
	return folder;
}

/*
 * Checks that only root or the current user can change what is at PATH. Everybody may write to a
 * folder such as /tmp if nobody can rename or remove files of others in it.
 */
static int check_owner(const char *path, struct strbuf *err)
{
	struct stat st;

	if (lstat(path, &st))
		return fail(err, "cannot look at '%s': %s", path, strerror(errno));
	if (st.st_uid && st.st_uid != geteuid())
		return fail(err,
			"'%s' belongs to user %u, who could run any code in the kernel through it; "
			"change its owner to root or yourself",
			path, (unsigned)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH) && !(S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX))
		return fail(err,
			"other users can write to '%s', and so run any code in the kernel: run "
			"chmod go-w '%s'",
			path, path);
	return 0;
}

/* Checks the file at PATH, a real path, and all folders that it is in. */
static int check_owners(const char *path, struct strbuf *err)
{
	char *part = xstrdup(path), *slash;
	int ret = check_owner(part, err);

	while (!ret && (slash = strrchr(part, '/')) && *part && part[1]) {
		slash[slash == part] = '\0';
		ret = check_owner(part, err);
	}
	free(part);
	return ret;
}

/* Returns the real path of the own script NAME, or NULL, with ERR if it cannot be trusted. */
static char *find_own(const char *name, struct strbuf *err)
{
	char *found = NULL, *folder;

	for (size_t i = 0; !found && (folder = own_folder(i)); i++) {
		char *path = xasprintf("%s/%s%s", folder, name, suffix);

		found = realpath(path, NULL);
		free(path);
		free(folder);
	}
	if (found && check_owners(found, err)) {
		free(found);
		found = NULL;
	}
	return found;
}

/* ---- all scripts ---- */

char *tool_files_find(const char *name, char ***tapsets, struct strbuf *err)
{
	char *folder = data_folder(name);
	char *path = folder ? xasprintf("%s/stap/%s%s", folder, name, suffix) : find_own(name, err);

	if (!folder && path)
		folder = data_folder(any_script);
	*tapsets = folder ? list_tapsets(folder) : NULL;
	free(folder);
	return path;
}

void tool_files_describe(struct strbuf *out)
{
	char *folder;

	for (size_t i = 0; (folder = own_folder(i)); i++) {
		strbuf_addf(out, "%s'%s'", i ? " or " : "", folder);
		free(folder);
	}
}

/* Adds the names of the scripts in FOLDER, which is freed. */
static void add_scripts(struct name_list *names, char *folder)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	size_t len;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		len = strlen(e->d_name);
		if (len >= sizeof(suffix) && !strcmp(e->d_name + len - strlen(suffix), suffix))
			add_name(names, xstrndup(e->d_name, len - strlen(suffix)));
	}
	if (dir)
		closedir(dir);
	free(folder);
}

/* Removes names that are equal to the name before them. */
static void remove_repeated(struct name_list *names)
{
	size_t nr = 0;

	for (size_t i = 0; i < names->nr; i++)
		if (nr && !strcmp(names->list[nr - 1], names->list[i]))
			free(names->list[i]);
		else
			names->list[nr++] = names->list[i];
	names->list[nr] = NULL;
}

char **tool_files_list(const char *const *also)
{
	char *folder = data_folder(any_script);
	struct name_list names = {0};

	for (; *also; also++)
		add_name(&names, xstrdup(*also));
	if (folder)
		add_scripts(&names, xasprintf("%s/stap", folder));
	free(folder);
	for (size_t i = 0; (folder = own_folder(i)); i++)
		add_scripts(&names, folder);
	end_names(&names);
	remove_repeated(&names);
	return names.list;
}
