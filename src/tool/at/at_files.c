/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_files.h"
#include "engine/engine.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/elf/elffile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether the file at PATH is called NAME, or NAME.so with any version behind it. */
static bool is_called(const char *path, const char *name)
{
	const char *file = file_name(path);
	size_t len = strlen(name);

	return !strncmp(file, name, len) && (!file[len] || !strncmp(file + len, ".so", 3));
}

/* Adds the file NAME at PATH, which the list takes over. */
static void add(
	struct at_files *files, char *path, const char *name, size_t object, struct elffile *elf)
{
	ALLOC_GROW(files->list, files->nr, files->alloc);
	files->list[files->nr++] = (struct at_file){path, xstrdup(name), object, elf};
}

static bool has_object(const struct at_files *files, size_t object)
{
	for (size_t i = 0; i < files->nr; i++)
		if (files->list[i].object == object)
			return true;
	return false;
}

/* Adds the file that P has mapped at M, unless it was added for another mapping. */
static void add_mapping(struct at_files *files, const struct processes *ps, const struct process *p,
	const struct mapping *m)
{
	const struct object *o = &ps->objects[m->object];

	if (!has_object(files, m->object))
		add(files,
			xasprintf("/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, p->pid,
				m->start, m->end),
			o->path, m->object, o->elf);
}

/* Adds the files that P has mapped if PROBE names them or, if it names none, P's program. */
static void add_process(struct at_files *files, const struct probe *probe,
	const struct processes *ps, const struct process *p)
{
	char *exe = xasprintf("/proc/%" PRIu32 "/exe", p->pid);
	char program[4096] = "";

	if (!probe->file && readlink(exe, program, sizeof(program) - 1) < 0)
		*program = '\0';
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];
		const struct object *o = &ps->objects[m->object];

		if (o->elf &&
			(probe->file ? is_called(o->path, probe->file) : !strcmp(o->path, program)))
			add_mapping(files, ps, p, m);
	}
	free(exe);
}

static void add_processes(
	struct at_files *files, const struct probe *probe, const struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++)
		if (!ps->list[i].gone)
			add_process(files, probe, ps, &ps->list[i]);
}

/* Adds the file NAME, which is a path or in $PATH. */
static int add_named(
	struct at_files *files, const char *name, const struct probe *probe, struct strbuf *err)
{
	char *path = strchr(name, '/') ? xstrdup(name) : root_find("", name);
	struct strbuf why = STRBUF_INIT;

	if (!path)
		return fail(err,
			"cannot probe %s: no target has mapped %s, and no program in $PATH has the "
			"name; give its path",
			probe->text, name);
	struct elffile *elf = elffile_open(path, &why);

	if (elf)
		add(files, path, path, SIZE_MAX, elf);
	else
		free(path);
	int ret = elf ? 0 : fail(err, "cannot probe %s: %s", probe->text, why.buf);

	strbuf_release(&why);
	return ret;
}

int at_files_find(struct at_files *files, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err)
{
	const char *name = probe->file ? probe->file : request->command;

	if (!name && request->all)
		return fail(err,
			"cannot probe %s in all processes: name the file, process(\"FILE\")",
			probe->text);
	if (!name || (probe->file && !strchr(name, '/')))
		add_processes(files, probe, ps);
	if (files->nr)
		return 0;
	return name ? add_named(files, name, probe, err)
		    : fail(err,
			      "cannot probe %s: the program of no target can be read; name the "
			      "file, process(\"FILE\")",
			      probe->text);
}

void at_files_release(struct at_files *files)
{
	for (size_t i = 0; i < files->nr; i++) {
		free(files->list[i].path);
		free(files->list[i].name);
		if (files->list[i].object == SIZE_MAX)
			elffile_close(files->list[i].elf);
	}
	free(files->list);
	*files = (struct at_files){0};
}
