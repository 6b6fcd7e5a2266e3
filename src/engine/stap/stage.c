/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stage.h"
#include "lib/folder.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "symbol/elf/elffacts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool needs_copy(const struct object *o)
{
	return o->deleted || o->path_differs || elffacts_hidden_eh_frame(o->elf);
}

/* Gives a copy the time that all copies have, as it is part of stap's cache key. */
static int fix_time(const char *path, struct strbuf *err)
{
	const struct timespec times[2] = {{.tv_sec = 1}, {.tv_sec = 1}};

	if (utimensat(AT_FDCWD, path, times, 0))
		return fail(err, "cannot set the time of '%s': %s", path, strerror(errno));
	return 0;
}

static int make_copy(const struct object *o, const char *to, struct strbuf *err)
{
	char *tmp = xasprintf("%s.%d", to, (int)getpid());
	int ret = folder_make_above(to, err);

	unlink(tmp); /* left by a killed process */
	if (!ret)
		ret = elffile_copy(o->elf, tmp, elffacts_hidden_eh_frame(o->elf), err);
	if (!ret)
		ret = fix_time(tmp, err);
	if (!ret && rename(tmp, to))
		ret = fail(err, "cannot rename '%s': %s", tmp, strerror(errno));
	if (ret)
		unlink(tmp);
	free(tmp);
	return ret;
}

static char *root_name(const struct processes *ps)
{
	struct strbuf content = STRBUF_INIT;
	char *folder = folder_cache();

	for (size_t i = 0; i < ps->nr_objects; i++) {
		const struct object *o = &ps->objects[i];

		if (o->elf && needs_copy(o))
			strbuf_addf(&content, "%s\n%s\n", o->path, elffile_build_id(o->elf));
	}
	char *root = xasprintf("%s/root-%016" PRIx64, folder, hash_bytes(content.buf, content.len));

	strbuf_release(&content);
	free(folder);
	return root;
}

/*
 * Creates a link to the copy at the real path of a file, if that is another path: stap resolves
 * symbolic links in a path before it prepends the root.
 */
static int link_real_path(
	const struct stage *stage, const struct object *o, const char *to, struct strbuf *err)
{
	char *real = realpath(o->path, NULL);
	int ret = 0;

	if (real && strcmp(real, o->path)) {
		char *link = xasprintf("%s%s", stage->root, real);

		ret = folder_make_above(link, err);
		if (!ret && symlink(to, link) && errno != EEXIST)
			ret = fail(err, "cannot link '%s': %s", link, strerror(errno));
		free(link);
	}
	free(real);
	return ret;
}

static bool stage_object(struct stage *stage, const struct object *o, struct strbuf *notes)
{
	struct strbuf err = STRBUF_INIT;
	char *to = xasprintf("%s%s", stage->root, o->path);
	struct stat st;
	int ret = 0;

	if (needs_copy(o)) {
		if (stat(to, &st))
			ret = make_copy(o, to, &err);
		if (!ret)
			ret = link_real_path(stage, o, to, &err);
	} else if (folder_make_above(to, &err) || (symlink(o->path, to) && errno != EEXIST)) {
		/* a link suffices, as stap resolves it and identifies the file by its real path */
		ret = -1;
	}
	if (ret)
		strbuf_addf(notes, "no unwind rules for '%s': %s\n", o->path, err.buf);
	strbuf_release(&err);
	free(to);
	return !ret;
}

/* Reads the facts that needs_copy() needs, from all files at once. */
static void ask_files(const struct processes *ps)
{
	struct elf_question *list = xcalloc(ps->nr_objects + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < ps->nr_objects; i++)
		if (ps->objects[i].elf)
			list[nr++] = (struct elf_question){
				.elf = ps->objects[i].elf, .fact = FACT_HIDDEN_EH_FRAME};
	elffacts_ask(list, nr);
	free(list);
}

void stage_init(struct stage *stage, struct processes *ps, struct strbuf *notes)
{
	*stage = (struct stage){0};
	ask_files(ps);
	for (size_t i = 0; i < ps->nr_objects && !stage->root; i++)
		if (ps->objects[i].elf && needs_copy(&ps->objects[i]))
			stage->root = root_name(ps);
	for (size_t i = 0; i < ps->nr_objects; i++) {
		struct object *o = &ps->objects[i];

		if (!o->elf || o->path[0] != '/' || (stage->root && !stage_object(stage, o, notes)))
			continue;
		o->has_rules = true;
		ALLOC_GROW(stage->files, stage->nr_files, stage->files_alloc);
		stage->files[stage->nr_files++] = xstrdup(o->path);
	}
	if (stage->nr_files)
		qsort(stage->files, stage->nr_files, sizeof(*stage->files), compare_paths);
}

void stage_release(struct stage *stage)
{
	for (size_t i = 0; i < stage->nr_files; i++)
		free(stage->files[i]);
	free(stage->files);
	free(stage->root);
	*stage = (struct stage){0};
}
