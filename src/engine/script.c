/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"
#include "lib/lines.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char header[] = "// flametap: ";

/* The folder PATH/stap/NAME.stp is in, when it is there; else NULL. */
static char *try_folder(const char *folder, const char *name)
{
	char *file = xasprintf("%s/stap/%s.stp", folder, name);
	char *real = access(file, R_OK) ? NULL : realpath(folder, NULL);

	free(file);
	return real;
}

static char *data_folder(const char *name)
{
	static const char *const beside[] = {"..", "../../..", "../share/flametap"};
	const char *env = getenv("FLAMETAP_DATADIR");
	char exe[PATH_MAX];
	char *found = env ? try_folder(env, name) : NULL;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash = n > 0 ? memrchr(exe, '/', (size_t)n) : NULL;

	if (slash)
		*slash = '\0';
	for (size_t i = 0; slash && !found && i < ARRAY_LEN(beside); i++) {
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

/*
 * The folders in FOLDER/tapsets, sorted: stap does not look into the folders of a -I folder by
 * itself.
 */
static char **list_tapsets(const char *folder)
{
	char *path = xasprintf("%s/tapsets", folder);
	DIR *dir = opendir(path);
	char **list = NULL;
	size_t nr = 0, alloc = 0;

	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.' || e->d_type == DT_REG)
			continue;
		ALLOC_GROW(list, nr, alloc);
		list[nr++] = xasprintf("%s/%s", path, e->d_name);
	}
	if (dir)
		closedir(dir);
	if (nr)
		qsort(list, nr, sizeof(*list), compare_names);
	ALLOC_GROW(list, nr, alloc);
	list[nr] = NULL;
	free(path);
	return list;
}

static void take_header(struct script *script, const char *line, size_t len)
{
	const struct {
		const char *key;
		char **value;
	} keys[] = {
		{"event ", &script->event},
		{"title ", &script->title},
		{"unit ", &script->unit},
		{"clock ", &script->clock},
		{"takes ", &script->takes},
		{"actions ", &script->actions},
	};
	size_t skip = strlen(header);

	if (len < skip || memcmp(line, header, skip))
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		size_t n = strlen(keys[i].key);

		if (len - skip > n && !memcmp(line + skip, keys[i].key, n) && !*keys[i].value)
			*keys[i].value = xstrndup(line + skip + n, len - skip - n);
	}
}

static int read_header(struct script *script, struct strbuf *err)
{
	struct lines lines;
	char *line;
	size_t len;
	int fd = open(script->path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(err, "cannot open '%s': %s", script->path, strerror(errno));
	lines_init(&lines, fd);
	while (lines_next(&lines, &line, &len))
		take_header(script, line, len);
	lines_release(&lines);
	close(fd);
	if (script->event && script->title && script->unit && script->clock)
		return 0;
	return fail(err, "'%s': its header lacks one of '%sevent|title|unit|clock …'", script->path,
		header);
}

int script_find(struct script *script, const char *name, struct strbuf *err)
{
	char *folder = data_folder(name);

	*script = (struct script){0};
	if (!folder)
		return fail(err,
			"cannot find the script '%s.stp': neither beside the program nor in "
			"'%s'; set FLAMETAP_DATADIR",
			name, PKGDATADIR);
	script->path = xasprintf("%s/stap/%s.stp", folder, name);
	script->tapsets = list_tapsets(folder);
	free(folder);
	if (!read_header(script, err))
		return 0;
	script_release(script);
	return -1;
}

bool script_takes(const struct script *script, const char *option)
{
	size_t len = strlen(option);

	for (const char *s = script->takes ? script->takes : ""; *s;) {
		size_t n = strcspn(s, " ");

		if (n == len && !memcmp(s, option, n))
			return true;
		s += n + (s[n] == ' ');
	}
	return false;
}

void script_release(struct script *script)
{
	for (char **t = script->tapsets; t && *t; t++)
		free(*t);
	free(script->tapsets);
	free(script->path);
	free(script->event);
	free(script->title);
	free(script->unit);
	free(script->clock);
	free(script->takes);
	free(script->actions);
	*script = (struct script){0};
}
