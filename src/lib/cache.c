/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache.h"
#include "util.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NAME_MAX_LEN leaves space for the suffix and the characters that mkostemp adds. */
enum { ID_MIN = 8, ID_MAX = 128, NAME_MAX_LEN = ID_MAX + 24 };

static const char unfinished[] = ".XXXXXX";

static size_t id_length(const char *name)
{
	return strspn(name, "0123456789abcdef");
}

static bool is_id(const char *id)
{
	size_t len = id_length(id);

	return !id[len] && len >= ID_MIN && len <= ID_MAX;
}

/* Returns true for a file of CACHE, complete or temporary. */
static bool is_ours(const struct cache *cache, const char *name)
{
	size_t len = id_length(name), suffix = strlen(cache->suffix);

	if (len < ID_MIN || strlen(name) >= NAME_MAX_LEN ||
		strncmp(name + len, cache->suffix, suffix) != 0)
		return false;
	name += len + suffix;
	return !*name || (*name == '.' && strlen(name) == strlen(unfinished));
}

static bool is_own_file(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

static char *path_of(const struct cache *cache, const char *build_id)
{
	return xasprintf("%s/%s%s", cache->folder, build_id, cache->suffix);
}

int cache_open(const struct cache *cache, const char *build_id)
{
	struct stat st;

	if (!is_id(build_id))
		return -1;
	char *path = path_of(cache, build_id);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	free(path);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || !is_own_file(&st)) {
		close(fd);
		return -1;
	}
	futimens(fd, NULL);
	return fd;
}

int cache_begin(const struct cache *cache, const char *build_id, char **temporary)
{
	if (!is_id(build_id))
		return -1;
	char *path = path_of(cache, build_id);
	char *name = xasprintf("%s%s", path, unfinished);
	int fd = mkostemp(name, O_CLOEXEC);

	free(path);
	if (fd < 0)
		free(name);
	else
		*temporary = name;
	return fd;
}

struct kept {
	struct timespec used;
	uint64_t size;
	char name[NAME_MAX_LEN];
};

struct kepts {
	struct kept *list;
	size_t nr, alloc;
	uint64_t size;
};

static int compare_used(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static void read_kept(struct kepts *all, const struct cache *cache, DIR *dir)
{
	const struct dirent *entry;
	struct stat st;

	while ((entry = readdir(dir))) {
		if (!is_ours(cache, entry->d_name) ||
			fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
			!is_own_file(&st))
			continue;
		ALLOC_GROW(all->list, all->nr, all->alloc);
		struct kept *kept = &all->list[all->nr++];

		kept->used = st.st_mtim;
		kept->size = (uint64_t)st.st_size;
		strcpy(kept->name, entry->d_name);
		add_capped(&all->size, kept->size);
	}
}

static bool is_too_much(const struct cache *cache, uint64_t files, uint64_t bytes)
{
	return files && (files > cache->files || bytes > cache->bytes);
}

static void bound(const struct cache *cache)
{
	struct kepts all = {0};
	DIR *dir = opendir(cache->folder);

	if (!dir)
		return;
	read_kept(&all, cache, dir);
	if (is_too_much(cache, all.nr, all.size))
		qsort(all.list, all.nr, sizeof(*all.list), compare_used);
	for (size_t i = 0; is_too_much(cache, all.nr - i, all.size); i++) {
		unlinkat(dirfd(dir), all.list[i].name, 0);
		all.size -= all.list[i].size;
	}
	free(all.list);
	closedir(dir);
}

void cache_commit(const struct cache *cache, int fd, char *temporary)
{
	char *path = xstrndup(temporary, strlen(temporary) - strlen(unfinished));

	if (close(fd) || rename(temporary, path))
		unlink(temporary);
	free(path);
	free(temporary);
	bound(cache);
}

void cache_drop(int fd, char *temporary)
{
	close(fd);
	unlink(temporary);
	free(temporary);
}
