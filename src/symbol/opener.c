/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "opener.h"
#include "lib/untrusted/file.h"
#include "lib/util.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/symstore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	ANSWER_MS = 5000, /* disks may have to start */
	BUSY_MS = 20000,
	SILENT_MAX = 16,     /* silent folders, after which no file is asked any more */
	LISTS_MAX = 1 << 16, /* bytes of the list of debug file folders */
};

struct find_request {
	bool has_root, has_debug, named;
	int error;
	struct symimage_origin origin;
	char text[PATH_MAX], root[PATH_MAX], debug[LISTS_MAX]; /* text is a path or build-id */
};

void opener_init(struct opener *o)
{
	*o = (struct opener){
		.helper = HELPER_INIT(sizeof(struct find_request), ANSWER_MS, BUSY_MS)};
}

void opener_release(struct opener *o)
{
	helper_end(&o->helper);
	for (size_t i = 0; i < o->nr; i++)
		free(o->silent[i]);
	free(o->silent);
	*o = (struct opener){.helper = HELPER_INIT(0, 0, 0)};
}

int found_file_open(struct found_file *found)
{
	int fd = found->path_fd;

	found->path_fd = -1;
	return fd < 0 || !(fcntl(fd, F_GETFL) & O_PATH) ? fd : file_reopen(fd);
}

static size_t folder_length(const char *path)
{
	return (size_t)(file_name(path) - path);
}

void opener_add_silent(struct opener *o, const char *path)
{
	ALLOC_GROW(o->silent, o->nr, o->alloc);
	o->silent[o->nr++] = xstrndup(path, folder_length(path));
}

static bool is_silent(const struct opener *o, const char *path)
{
	size_t len = folder_length(path);

	for (size_t i = 0; i < o->nr; i++)
		if (strlen(o->silent[i]) == len && !memcmp(o->silent[i], path, len))
			return true;
	return o->nr >= SILENT_MAX;
}

/* ---- work of the helper ---- */

/* Replaces FD by a descriptor with O_PATH. Takes ownership of FD. */
static int with_path_only(struct find_request *r, int fd)
{
	char link[32];
	int path_fd;

	r->error = fd < 0 ? errno : 0;
	if (fd < 0)
		return -1;
	symstore_origin(fd, &r->origin);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	path_fd = open(link, O_PATH | O_CLOEXEC);
	if (path_fd < 0)
		return fd; /* there is no /proc */
	close(fd);
	return path_fd;
}

static int work_find(void *room, int passed)
{
	struct find_request *r = room;
	char *path = xasprintf("%s%s", r->has_root ? r->root : "", r->text);

	(void)passed;
	int fd = with_path_only(r, file_open(path));

	free(path);
	return fd;
}

static struct debug_paths debug_paths_of(const struct find_request *r)
{
	return (struct debug_paths){
		.root = r->has_root ? r->root : NULL, .path = r->has_debug ? r->debug : NULL};
}

static int work_find_debug(void *room, int passed)
{
	struct find_request *r = room;
	struct debug_paths where = debug_paths_of(r);

	(void)passed;
	return with_path_only(r, debugfile_open_by_id(r->text, &where));
}

static int work_is_named(void *room, int passed)
{
	struct find_request *r = room;
	struct debug_paths where = debug_paths_of(r);

	(void)passed;
	r->named = debugfile_is_named(r->text, &where);
	return -1;
}

/* ---- requests ---- */

static bool put(char *to, size_t size, const char *from, bool *is_there)
{
	*is_there = from;
	return !from || snprintf(to, size, "%s", from) < (int)size;
}

/* Returns NULL if the helper cannot be asked. */
static struct find_request *new_request(
	struct opener *o, const char *text, const char *root, const char *debug)
{
	struct find_request *r = helper_room(&o->helper);
	bool is_there;

	if (!r || !put(r->text, sizeof(r->text), text, &is_there) ||
		!put(r->root, sizeof(r->root), root, &r->has_root) ||
		!put(r->debug, sizeof(r->debug), debug, &r->has_debug))
		return NULL;
	r->error = 0;
	r->named = false;
	r->origin = (struct symimage_origin){0};
	return r;
}

/* Runs the request R. PATH, if it is not NULL, is the file that may not answer. */
static struct found_file run(
	struct opener *o, struct find_request *r, helper_work *work, const char *path)
{
	struct found_file found = FOUND_NONE;

	found.error = ENAMETOOLONG;
	if (!r)
		return found;
	found.error = ETIMEDOUT;
	if (path ? is_silent(o, path) : o->nr >= SILENT_MAX)
		return found;
	switch (helper_run(&o->helper, work, &found.path_fd)) {
	case HELPER_DONE:
		found.error = r->error;
		found.origin = r->origin;
		break;
	case HELPER_LATE:
		opener_add_silent(o, path ? path : "");
		break;
	case HELPER_FAILED:
		found.error = EAGAIN;
	}
	return found;
}

struct found_file opener_find(struct opener *o, const char *root, const char *path)
{
	return run(o, new_request(o, path, root, NULL), work_find, path);
}

struct found_file opener_find_debug(
	struct opener *o, const char *build_id, const struct debug_paths *where)
{
	return run(o, new_request(o, build_id, where->root, where->path), work_find_debug, NULL);
}

bool opener_is_named(struct opener *o, const char *path, const struct debug_paths *where)
{
	struct find_request *r = new_request(o, path, where->root, where->path);

	return !run(o, r, work_is_named, NULL).error && r && r->named;
}
