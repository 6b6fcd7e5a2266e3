/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "open_files.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void open_files_add(struct open_files *files, struct elffile *elf, const char *path)
{
	ALLOC_GROW(files->list, files->nr, files->alloc);
	files->list[files->nr++] = (struct open_file){elf, xstrdup(path)};
}

void open_files_add_silent(struct open_files *files, const char *path)
{
	open_files_add(files, NULL, path);
}

void open_files_add_perfmap(struct open_files *files, uint32_t pid, int fd)
{
	ALLOC_GROW(files->perfmaps, files->nr_perfmaps, files->perfmaps_alloc);
	files->perfmaps[files->nr_perfmaps++] = (struct open_perfmap){pid, fd};
}

void open_files_release(struct open_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		elffile_close(files->list[i].elf);
		free(files->list[i].path);
	}
	for (size_t i = 0; i < files->nr_perfmaps; i++)
		close(files->perfmaps[i].fd);
	free(files->list);
	free(files->perfmaps);
	*files = (struct open_files){0};
}

void open_files_return(struct open_files *files)
{
	for (size_t i = 0; i < files->nr; i++)
		files->list[i].elf = NULL;
	open_files_release(files);
}

static bool fits(const struct open_file *file, const char *build_id, const char *path, uid_t owner)
{
	const char *id = file->elf ? elffile_build_id(file->elf) : "";

	if (!file->elf || (elffile_owner(file->elf) && elffile_owner(file->elf) != owner))
		return false;
	return *build_id || *id ? !strcmp(id, build_id) : !strcmp(file->path, path);
}

/*
 * Returns the rank of a file that fits. A file of higher rank is more likely to be the mapped one.
 */
static int rank(const struct open_file *file, const char *path, uid_t owner)
{
	return 2 * (elffile_owner(file->elf) == owner) + !strcmp(file->path, path);
}

struct elffile *open_files_find(
	const struct open_files *files, const char *build_id, const char *path, uid_t owner)
{
	const struct open_file *best = NULL;

	for (size_t i = 0; files && i < files->nr; i++) {
		const struct open_file *file = &files->list[i];

		if (fits(file, build_id, path, owner) &&
			(!best || rank(file, path, owner) > rank(best, path, owner)))
			best = file;
	}
	return best ? best->elf : NULL;
}

bool open_files_is_silent(const struct open_files *files, const char *path)
{
	for (size_t i = 0; files && i < files->nr; i++)
		if (!files->list[i].elf && !strcmp(files->list[i].path, path))
			return true;
	return false;
}

int open_files_perfmap(const struct open_files *files, uint32_t pid)
{
	for (size_t i = 0; files && i < files->nr_perfmaps; i++)
		if (files->perfmaps[i].pid == pid)
			return files->perfmaps[i].fd;
	return -1;
}
