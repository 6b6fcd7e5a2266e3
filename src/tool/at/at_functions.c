/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_functions.h"
#include "engine/engine.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "symbol/elf/elffacts.h"

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

/* Finds the place of the function NAME in the file ELF. */
static bool find(const struct elffile *elf, const char *name, struct at_function *f)
{
	struct elf_variable function;

	if (!elffacts_variable(elf, name, &function) || function.per_thread ||
		!elffile_code_at(elf, function.address, 0, &f->offset))
		return false;
	f->address = function.address;
	return true;
}

/* Adds F with its PATH, which the list takes over. */
static void add(struct at_functions *list, struct at_function f, char *path, size_t object)
{
	f.path = path;
	f.object = object;
	ALLOC_GROW(list->list, list->nr, list->alloc);
	list->list[list->nr++] = f;
}

static int add_file(
	struct at_functions *list, const char *path, const struct probe *probe, struct strbuf *err)
{
	struct strbuf why = STRBUF_INIT;
	struct elffile *elf = elffile_open(path, &why);
	struct at_function f;
	int ret = 0;

	if (!elf)
		ret = fail(err, "cannot probe %s: %s", probe->text, why.buf);
	else if (find(elf, probe->name, &f))
		add(list, f, xstrdup(path), SIZE_MAX);
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
	struct at_function f;

	if (has_object(list, m->object) || !find(ps->objects[m->object].elf, probe->name, &f))
		return;
	add(list, f,
		xasprintf("/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, p->pid, m->start,
			m->end),
		m->object);
}

/* Adds the function if P has mapped the file that PROBE names or, if it names none, in P's program.
 */
static void add_process(struct at_functions *list, const struct probe *probe,
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
			add_mapping(list, probe, ps, p, m);
	}
	free(exe);
}

static void add_processes(
	struct at_functions *list, const struct probe *probe, const struct processes *ps)
{
	for (size_t i = 0; i < ps->nr; i++)
		if (!ps->list[i].gone)
			add_process(list, probe, ps, &ps->list[i]);
}

/* Adds the function of the file NAME, which is a path or in $PATH. */
static int add_named(
	struct at_functions *list, const char *name, const struct probe *probe, struct strbuf *err)
{
	char *path = strchr(name, '/') ? xstrdup(name) : root_find("", name);
	int ret = path ? add_file(list, path, probe, err)
		       : fail(err,
				 "cannot probe %s: no target has mapped %s with this function, and "
				 "no program in $PATH has the name; give its path",
				 probe->text, name);

	free(path);
	return ret;
}

int at_functions_find(struct at_functions *list, const struct probe *probe,
	const struct engine_request *request, const struct processes *ps, struct strbuf *err)
{
	const char *name = probe->file ? probe->file : request->command;

	if (!name && request->all)
		return fail(err,
			"cannot probe %s in all processes: name the file, process(\"FILE\")",
			probe->text);
	if (!name || (probe->file && !strchr(name, '/')))
		add_processes(list, probe, ps);
	if (list->nr)
		return 0;
	return name ? add_named(list, name, probe, err)
		    : fail(err,
			      "cannot probe %s: no target has the function, or its program is "
			      "stripped; name the file, process(\"FILE\")",
			      probe->text);
}

void at_functions_release(struct at_functions *list)
{
	for (size_t i = 0; i < list->nr; i++)
		free(list->list[i].path);
	free(list->list);
	*list = (struct at_functions){0};
}
