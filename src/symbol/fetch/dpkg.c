/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dpkg.h"
#include "lib/hash.h"
#include "lib/table.h"
#include "lib/util.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIST_MAX = 1 << 26 /* largest list, in bytes */ };

/* The paths that are looked up. Path number 2 I is PATHS[I], and 2 I + 1 is its other name. */
struct dpkg_search {
	char **paths, **owners; /* owners has NULL for paths that were not found */
	size_t nr;
	struct table by_path;   /* hash and length of a path -> its number + 1 */
	bool lengths[PATH_MAX]; /* whether a path has this length */
	char *text;             /* of a list */
	size_t alloc;
};

static void add_path(struct dpkg_search *s, char *path)
{
	size_t len = strlen(path), number = s->nr++;
	bool is_new;

	s->paths[number] = path;
	if (*path != '/' || len >= PATH_MAX)
		return;
	uint32_t *at = table_put(&s->by_path, hash_text(path, len), len, &is_new);

	if (is_new)
		*at = (uint32_t)number + 1;
	s->lengths[len] = true;
}

/* Returns the name by which a file is also known if /usr is merged. The caller frees it. */
static char *other_name(const char *path)
{
	return begins_with(path, strlen(path), "/usr/") ? xstrdup(path + 4)
							: xasprintf("/usr%s", path);
}

static void take_line(struct dpkg_search *s, const char *line, size_t len, const char *list)
{
	const uint32_t *at = len < PATH_MAX && s->lengths[len]
				     ? table_get(&s->by_path, hash_text(line, len), len)
				     : NULL;
	size_t number = at ? *at - 1 : 0;

	if (at && !s->owners[number] && !memcmp(s->paths[number], line, len))
		s->owners[number] = xstrndup(list, strcspn(list, ":") < strlen(list)
							   ? strcspn(list, ":")
							   : strlen(list) - strlen(".list"));
}

/* Reads the list of this name in FOLDER (fd). Returns its length, or 0 if it cannot be read. */
static size_t read_list(struct dpkg_search *s, int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= LIST_MAX) {
		if ((size_t)st.st_size > s->alloc) {
			s->alloc = 2 * (size_t)st.st_size;
			s->text = xrealloc(s->text, s->alloc, 1);
		}
		n = read(fd, s->text, (size_t)st.st_size);
	}
	close(fd);
	return n > 0 ? (size_t)n : 0;
}

static void search_list(struct dpkg_search *s, int folder, const char *name)
{
	size_t len = read_list(s, folder, name);

	for (size_t i = 0; i < len;) {
		const char *line = s->text + i, *end = memchr(line, '\n', len - i);
		size_t n = end ? (size_t)(end - line) : len - i;

		take_line(s, line, n, name);
		i += n + 1;
	}
}

static int is_list(const struct dirent *entry)
{
	return ends_with(entry->d_name, ".list");
}

static void search(struct dpkg_search *s, int64_t deadline)
{
	const char *admin = getenv("DPKG_ADMINDIR");
	char *path = xasprintf("%s/info", admin && *admin ? admin : "/var/lib/dpkg");
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **lists;
	int nr = folder >= 0 ? scandir(path, &lists, is_list, alphasort) : -1;

	for (int i = 0; i < nr; i++) {
		if (monotonic_ns() < deadline)
			search_list(s, folder, lists[i]->d_name);
		free(lists[i]);
	}
	if (nr >= 0)
		free(lists);
	if (folder >= 0)
		close(folder);
	free(path);
}

void dpkg_find(const char *const *paths, size_t n, int64_t deadline, char **owners)
{
	struct dpkg_search s = {.paths = xcalloc(2 * n, sizeof(*s.paths)),
		.owners = xcalloc(2 * n, sizeof(*s.owners))};

	table_init(&s.by_path);
	for (size_t i = 0; i < n; i++) {
		add_path(&s, xstrdup(paths[i]));
		add_path(&s, other_name(paths[i]));
	}
	if (n)
		search(&s, deadline);
	for (size_t i = 0; i < n; i++) {
		char *own = s.owners[2 * i], *other = s.owners[2 * i + 1];

		owners[i] = own ? own : other;
		if (own)
			free(other);
		free(s.paths[2 * i]);
		free(s.paths[2 * i + 1]);
	}
	table_release(&s.by_path);
	free(s.text);
	free(s.paths);
	free(s.owners);
}
