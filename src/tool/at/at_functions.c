/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_functions.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the path of the program NAME as the shell would find it. The caller frees it. */
static char *find_program(const char *name)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return xstrdup(name);
	while (at && *at) {
		size_t len = strcspn(at, ":");
		char *path = xasprintf("%.*s/%s", (int)len, at, name);

		if (!access(path, X_OK))
			return path;
		free(path);
		at += len + (at[len] == ':');
	}
	return NULL;
}

/* Returns whether PATH is the library NAME: its path, its file name, or that without .so…. */
static bool is_library(const char *path, const char *name)
{
	const char *file = file_name(path);
	size_t len = strlen(name);

	if (strchr(name, '/'))
		return !strcmp(path, name);
	return !strncmp(file, name, len) && (!file[len] || !strncmp(file + len, ".so", 3));
}

/* Finds the offset of the function NAME in the file ELF. */
static bool find_offset(const struct elffile *elf, const char *name, uint64_t *offset)
{
	struct elf_variable function;

	return elffacts_variable(elf, name, &function) && !function.per_thread &&
	       elffile_code_at(elf, function.address, 0, offset);
}

static void add(struct at_functions *list, char *path, size_t object, uint64_t offset)
{
	ALLOC_GROW(list->list, list->nr, list->alloc);
	list->list[list->nr++] = (struct at_function){path, object, offset};
}

static int add_file(
	struct at_functions *list, const char *path, const struct probe *probe, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	struct elffile *elf = elffile_open(path, &why);
	uint64_t offset;
	int ret = 0;

	if (!elf)
		ret = fail(err, "cannot probe %s: %s", probe->text, why.buf);
	else if (find_offset(elf, probe->name, &offset))
		add(list, xstrdup(path), SIZE_MAX, offset);
	else
		ret = fail(err, "cannot probe %s: %s has no symbol %s, or is stripped", probe->text,
			path, probe->name);
	if (elf)
		elffile_close(elf);
	strbuf_release(&why);
	return ret;
}

static bool has_object(const struct at_functions *list, size_t object)
{
	for (size_t i = 0; i < list->nr; i++)
		if (list->list[i].object == object)
			return true;
	return false;
}

/* Adds the function in the mapping M of P, unless it was added for another process. */
static void add_mapping(struct at_functions *list, const struct probe *probe,
	const struct processes *ps, const struct process *p, const struct mapping *m)
{
	uint64_t offset;

	if (has_object(list, m->object) ||
		!find_offset(ps->objects[m->object].elf, probe->name, &offset))
		return;
	add(list,
		xasprintf("/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, p->pid, m->start,
			m->end),
		m->object, offset);
}

/* Adds the function in the mappings of P that are of the library or, without one, of the program.
 */
static void add_process(struct at_functions *list, const struct probe *probe,
	const struct processes *ps, const struct process *p)
{
	char *exe = xasprintf("/proc/%" PRIu32 "/exe", p->pid);
	char program[4096] = "";

	if (!probe->library && readlink(exe, program, sizeof(program) - 1) < 0)
		*program = '\0';
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];
		const struct object *o = &ps->objects[m->object];

		if (o->elf && (probe->library ? is_library(o->path, probe->library)
					      : !strcmp(o->path, program)))
			add_mapping(list, probe, ps, p, m);
	}
	free(exe);
}

static int add_targets(struct at_functions *list, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err)
{
	if (request->all)
		return fail(err,
			"cannot probe %s in all processes: name the file, process(\"FILE\")",
			probe->text);
	for (size_t i = 0; i < ps->nr; i++)
		if (!ps->list[i].gone)
			add_process(list, probe, ps, &ps->list[i]);
	return list->nr ? 0
			: fail(err,
				  "cannot probe %s: no target has the function, or its file is "
				  "stripped; name the file, process(\"FILE\")",
				  probe->text);
}

int at_functions_find(struct at_functions *list, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err)
{
	const char *name = probe->library && strchr(probe->library, '/') ? probe->library
			   : probe->file                                 ? probe->file
									 : request->command;

	if (probe->library && !strchr(probe->library, '/'))
		return add_targets(list, probe, request, ps, err);
	if (!name)
		return add_targets(list, probe, request, ps, err);
	char *path = find_program(name);
	int ret = path ? add_file(list, path, probe, err)
		       : fail(err, "cannot probe %s: there is no program %s in $PATH", probe->text,
				 name);

	free(path);
	return ret;
}

void at_functions_release(struct at_functions *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->list[i].path);
	free(list->list);
	*list = (struct at_functions){0};
}
