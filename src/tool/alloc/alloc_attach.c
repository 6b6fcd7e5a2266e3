/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alloc_attach.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "process/task.h"
#include "tool/at/at_files.h"
#include "tool/at/at_multi.h"
#include "tool/at/at_sites.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NO_FILE = UINT32_MAX }; /* in place of an index */

static const char *const names[ALLOC_PROGRAMS] = {
	[ALLOC_MALLOC] = "on_malloc",
	[ALLOC_VALLOC] = "on_valloc",
	[ALLOC_CALLOC] = "on_calloc",
	[ALLOC_OUTER_CALLOC] = "on_outer_calloc",
	[ALLOC_REALLOC] = "on_realloc",
	[ALLOC_REALLOCARRAY] = "on_reallocarray",
	[ALLOC_MEMALIGN] = "on_memalign",
	[ALLOC_POSIX_MEMALIGN] = "on_posix_memalign",
	[ALLOC_OWN] = "on_own",
	[ALLOC_FREE] = "on_freed",
	[ALLOC_MARK] = "on_mark",
	[ALLOC_MARK_FREE] = "on_mark_freed",
};
static const char returned[] = "on_returned";

/* Returns whether the programs run in the target processes only. Others may come later. */
static bool by_process(const struct engine_request *r)
{
	return !r->all && !r->selection.kind && !r->children && !r->command;
}

static bool is_multi(const struct engine_request *r)
{
	return by_process(r) ? at_multi_has_process() : at_multi_has_user();
}

void alloc_attach_prepare(const struct programs *p)
{
	if (!is_multi(p->request))
		return;
	for (size_t i = 0; i < ALLOC_PROGRAMS; i++)
		at_multi_prepare(programs_find(p, names[i]), false);
	at_multi_prepare(programs_find(p, returned), false);
	at_multi_prepare(programs_find(p, "on_taken"), false);
}

void alloc_attach_init(struct alloc_attach *a, struct programs *programs,
	const struct processes *ps, bool keeps_blocks)
{
	const struct engine_request *r = programs->request;

	*a = (struct alloc_attach){.programs = programs,
		.own = {tool_text(r->tool, &r->values, "alloc"),
			tool_text(r->tool, &r->values, "free")},
		.ps = ps,
		.keeps_blocks = keeps_blocks,
		.by_process = by_process(r),
		.is_multi = is_multi(r)};
	table_init(&a->by_inode);
	table_init(&a->by_object);
	table_init(&a->attached);
	table_init(&a->seen);
}

void alloc_attach_release(struct alloc_attach *a)
{
	for (size_t i = 0; i < a->nr; i++) {
		free(a->files[i].path);
		free(a->files[i].places);
	}
	free(a->files);
	free(a->marks);
	table_release(&a->by_inode);
	table_release(&a->by_object);
	table_release(&a->attached);
	table_release(&a->seen);
}

/* ---- attaching in a file ---- */

/* A program that is attached at places of a file. */
struct attachment {
	const struct alloc_attach *a;
	const char *path;
	uint32_t pid; /* or 0 for all processes */
	struct bpf_program *program;
	bool at_return;
};

static int refuse(const struct attachment *p, struct strbuf *err)
{
	return fail(err, "cannot probe '%s': %s; %s", p->path, strerror(errno),
		features_probe_remedy(errno));
}

static int attach_at_once(
	const struct attachment *p, const struct at_site *sites, size_t nr, struct strbuf *err)
{
	int fd = at_multi_attach(p->program, sites, nr, p->at_return, p->pid);

	if (fd < 0)
		return refuse(p, err);
	programs_keep_fd(p->a->programs, fd);
	return 0;
}

static int attach_at(
	const struct attachment *p, const struct at_site *sites, size_t nr, struct strbuf *err)
{
	if (p->a->is_multi)
		return attach_at_once(p, sites, nr, err);
	for (size_t i = 0; i < nr; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = p->at_return,
			.bpf_cookie = sites[i].cookie, .ref_ctr_offset = sites[i].semaphore);
		struct bpf_link *link = bpf_program__attach_uprobe_opts(
			p->program, p->pid ? (pid_t)p->pid : -1, p->path, sites[i].offset, &opts);

		if (!link)
			return refuse(p, err);
		programs_keep(p->a->programs, link);
	}
	return 0;
}

/*
 * Returns the number of the places where the arguments of a mark are. Returns -1 with ERR if there
 * are too many different ones.
 */
static int mark_number(struct alloc_attach *a, const struct alloc_place *place, struct strbuf *err)
{
	int map = programs_map(a->programs, "alloc_marks");
	uint32_t number = 0;
	struct alloc_mark mark;

	memcpy(mark.number, place->number, sizeof(mark.number));
	while (number < a->nr_marks && memcmp(&a->marks[number], &mark, sizeof(mark)))
		number++;
	if (number < a->nr_marks)
		return (int)number;
	if (bpf_map_update_elem(map, &number, &mark, BPF_ANY))
		return fail(err,
			"the marks of the target have their arguments in more than %d different "
			"places",
			ALLOC_MARKS_MAX);
	ALLOC_GROW(a->marks, a->nr_marks, a->marks_alloc);
	a->marks[a->nr_marks++] = mark;
	return (int)number;
}

/* A file, where it is now, and where it is attached. */
struct attached_file {
	const struct alloc_file *file;
	struct at_file at;
	uint32_t pid;  /* or 0 for all processes */
	bool by_marks; /* marks tell of the functions that the library of src/preload has */
};

/* Returns whether the program runs where functions with PROGRAM return, too. */
static bool needs_return(const struct alloc_attach *a, uint32_t program)
{
	return alloc_is_outer(program) || (a->keeps_blocks && program < ALLOC_FREE);
}

/* Returns whether PROGRAM, or with ALLOC_PROGRAMS the one for returns, runs at PLACE. */
static bool runs_at(const struct alloc_attach *a, const struct attached_file *f,
	const struct alloc_place *place, uint32_t program)
{
	if (f->by_marks ? place->is_known : alloc_is_mark(place->program))
		return false;
	return program == ALLOC_PROGRAMS ? needs_return(a, place->program)
					 : program == place->program;
}

/*
 * Attaches PROGRAM at its places of a file or, with ALLOC_PROGRAMS, the one that runs where
 * functions return.
 */
static int attach_program(
	struct alloc_attach *a, const struct attached_file *f, uint32_t program, struct strbuf *err)
{
	bool at_return = program == ALLOC_PROGRAMS;
	struct attachment p = {a, f->at.path, f->pid,
		programs_find(a->programs, at_return ? returned : names[program]), at_return};
	struct at_site *sites = xcalloc(f->file->nr + 1, sizeof(*sites));
	size_t nr = 0;
	int ret = 0;

	for (size_t i = 0; i < f->file->nr && ret >= 0; i++) {
		const struct alloc_place *place = &f->file->places[i];

		if (!runs_at(a, f, place, program))
			continue;
		ret = alloc_is_mark(program) ? mark_number(a, place, err) : 0;
		sites[nr++] = (struct at_site){.file = &f->at,
			.offset = place->offset,
			.semaphore = place->semaphore,
			.cookie = (uint64_t)ret};
	}
	ret = nr && ret >= 0 ? attach_at(&p, sites, nr, err) : ret;
	a->nr_places += nr;
	free(sites);
	return ret < 0 ? -1 : 0;
}

/* Attaches the programs in a file. The returns come first, then the frees. */
static int attach_file(struct alloc_attach *a, const struct attached_file *f, struct strbuf *err)
{
	int ret = attach_program(a, f, ALLOC_PROGRAMS, err);

	for (uint32_t program = ALLOC_PROGRAMS; program-- && !ret;)
		if (a->keeps_blocks || (program != ALLOC_FREE && program != ALLOC_MARK_FREE))
			ret = attach_program(a, f, program, err);
	return ret;
}

/* ---- files of processes ---- */

static char *mapped_path(const struct process *p, const struct mapping *m)
{
	return xasprintf(
		"/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, p->pid, m->start, m->end);
}

/*
 * Returns the index of the file that is at PATH now among those that are searched, to which it is
 * added if it is not there.
 */
static uint32_t add_file(struct alloc_attach *a, const char *path)
{
	struct stat st = {0};
	bool is_new;

	if (stat(path, &st))
		return NO_FILE;
	uint32_t *index = table_put(&a->by_inode, st.st_dev, st.st_ino, &is_new);

	if (!is_new)
		return *index;
	*index = (uint32_t)a->nr;
	ALLOC_GROW(a->files, a->nr, a->alloc);
	a->files[a->nr++] = (struct alloc_file){.path = xstrdup(path)};
	return *index;
}

static const struct object *object_of(
	const struct alloc_attach *a, const struct process *p, size_t i)
{
	return &a->ps->objects[a->ps->maps[p->maps[i]].object];
}

/* Returns whether the mappings of P have changed since it was looked at. */
static bool has_changed(const struct alloc_attach *a, const struct process *p)
{
	const uint32_t *seen = table_get(&a->seen, p->id, 0);

	return !p->gone && p->pid && (!seen || *seen != p->changes);
}

static void add_files_of(struct alloc_attach *a, const struct process *p)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct object *o = object_of(a, p, i);
		bool is_new = false;

		if (!o->elf || table_get(&a->by_object, o->id, 0))
			continue;
		char *path = mapped_path(p, &a->ps->maps[p->maps[i]]);
		uint32_t index = add_file(a, path);

		if (index != NO_FILE)
			*table_put(&a->by_object, o->id, 0, &is_new) = index;
		free(path);
	}
}

/*
 * Attaches in file INDEX, which is at PATH now, in all processes or in process P, unless that was
 * done. A process that has ended meanwhile is no error.
 */
static int attach_once(struct alloc_attach *a, uint32_t index, const char *path,
	const struct process *p, bool by_marks, struct strbuf *err)
{
	const struct attached_file f = {.file = &a->files[index],
		.at = {.path = (char *)(uintptr_t)path},
		.pid = a->by_process ? p->pid : 0,
		.by_marks = by_marks};
	uint32_t *done;
	bool is_new;

	if (!f.file->nr)
		return 0;
	done = table_put(&a->attached, index, a->by_process ? p->id : 0, &is_new);
	if (*done)
		return 0;
	*done = 1;
	if (!attach_file(a, &f, err))
		return 0;
	if (!p || task_lives(p->pid, p->start))
		return -1;
	*done = 0;
	strbuf_reset(err);
	return 0;
}

static bool has_program(const struct alloc_file *file, uint32_t program)
{
	for (size_t i = 0; i < file->nr; i++)
		if (file->places[i].program == program)
			return true;
	return false;
}

/* Returns whether P has mapped a file with the marks. */
static bool has_marks(const struct alloc_attach *a, const struct process *p)
{
	for (size_t i = 0; i < p->nr_maps; i++) {
		const uint32_t *index = table_get(&a->by_object, object_of(a, p, i)->id, 0);

		if (index && has_program(&a->files[*index], ALLOC_MARK))
			return true;
	}
	return false;
}

static int attach_files_of(struct alloc_attach *a, const struct process *p, struct strbuf *err)
{
	bool by_marks = a->is_preloaded || (a->by_process && has_marks(a, p)), is_new;
	int ret = 0;

	for (size_t i = 0; i < p->nr_maps && !ret; i++) {
		const uint32_t *index = table_get(&a->by_object, object_of(a, p, i)->id, 0);

		if (!index)
			continue;
		char *path = mapped_path(p, &a->ps->maps[p->maps[i]]);

		ret = attach_once(a, *index, path, p, by_marks, err);
		free(path);
	}
	*table_put(&a->seen, p->id, 0, &is_new) = p->changes;
	return ret;
}

/* Searches the files that were added after the first NR. */
static void search_from(struct alloc_attach *a, size_t nr)
{
	if (a->nr > nr)
		alloc_functions_find(a->files + nr, a->nr - nr, &a->own);
}

int alloc_attach_command(
	struct alloc_attach *a, const char *command, const char *library, struct strbuf *err)
{
	size_t before = a->nr;
	uint32_t own = add_file(a, command), loaded = library ? add_file(a, library) : NO_FILE;

	search_from(a, before);
	/* the library has no effect on a program with functions of its own, nor a static one */
	a->is_preloaded = loaded != NO_FILE && has_program(&a->files[loaded], ALLOC_MARK) &&
			  own != NO_FILE && !has_program(&a->files[own], ALLOC_MALLOC);
	if (a->is_preloaded && attach_once(a, loaded, library, NULL, true, err))
		return -1;
	return own == NO_FILE ? 0 : attach_once(a, own, command, NULL, a->is_preloaded, err);
}

bool alloc_attach_has(const struct alloc_attach *a, uint32_t program)
{
	for (size_t i = 0; i < a->nr; i++)
		if (has_program(&a->files[i], program))
			return true;
	return false;
}

int alloc_attach_update(struct alloc_attach *a, struct strbuf *err)
{
	size_t before = a->nr;
	int ret = 0;

	for (size_t i = 0; i < a->ps->nr; i++)
		if (has_changed(a, &a->ps->list[i]))
			add_files_of(a, &a->ps->list[i]);
	search_from(a, before);
	for (size_t i = 0; i < a->ps->nr && !ret; i++)
		if (has_changed(a, &a->ps->list[i]))
			ret = attach_files_of(a, &a->ps->list[i], err);
	return ret;
}
