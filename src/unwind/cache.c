/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cache.h"
#include "table.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".unwind"

enum { ID_MIN = 8, ID_MAX = 128, NAME_MAX_LEN = ID_MAX + 16 };

static size_t id_length(const char *name)
{
	return strspn(name, "0123456789abcdef");
}

static bool is_id(const char *id)
{
	size_t len = id_length(id);

	return !id[len] && len >= ID_MIN && len <= ID_MAX;
}

/* True for a table, whole or still being written. */
static bool is_ours(const char *name)
{
	size_t len = id_length(name);

	return len >= ID_MIN && strlen(name) < NAME_MAX_LEN &&
	       !strncmp(name + len, SUFFIX, strlen(SUFFIX));
}

static bool is_own_file(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

int unwind_cache_get(const char *folder, const char *build_id, struct unwind_table *table)
{
	struct stat st;
	int ret = -1;

	*table = (struct unwind_table){0};
	if (!is_id(build_id))
		return -1;
	char *path = xasprintf("%s/%s" SUFFIX, folder, build_id);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);

	free(path);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && is_own_file(&st))
		ret = unwind_table_open(table, fd, build_id);
	if (!ret)
		futimens(fd, NULL);
	close(fd);
	return ret;
}

static int write_all(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		bytes += n;
		size -= (size_t)n;
	}
	return 0;
}

/* Unlike lib/tempfile, does not wait for the disk: what is not whole fails its checksum. */
static void write_table(const char *path, const struct unwind_table *table)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC);

	if (fd >= 0) {
		int ret = write_all(fd, table->blocks, table->size);

		if (close(fd) || ret || rename(temporary, path))
			unlink(temporary);
	}
	free(temporary);
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

static void read_kept(struct kepts *all, DIR *dir)
{
	const struct dirent *entry;
	struct stat st;

	while ((entry = readdir(dir))) {
		if (!is_ours(entry->d_name) ||
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

static void bound(const char *folder)
{
	struct kepts all = {0};
	DIR *dir = opendir(folder);

	if (!dir)
		return;
	read_kept(&all, dir);
	if (all.nr > UNWIND_CACHE_TABLES || all.size > (uint64_t)UNWIND_CACHE_MIB << 20)
		qsort(all.list, all.nr, sizeof(*all.list), compare_used);
	for (size_t i = 0;
		all.nr - i > UNWIND_CACHE_TABLES || all.size > (uint64_t)UNWIND_CACHE_MIB << 20;
		i++) {
		unlinkat(dirfd(dir), all.list[i].name, 0);
		all.size -= all.list[i].size;
	}
	free(all.list);
	closedir(dir);
}

void unwind_cache_put(const char *folder, const struct unwind_table *table)
{
	if (!table->header || !is_id(table->header->build_id))
		return;
	char *path = xasprintf("%s/%s" SUFFIX, folder, table->header->build_id);

	write_table(path, table);
	free(path);
	bound(folder);
}
