/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lock_names.h"
#include "lib/util.h"
#include "lib/worker.h"
#include "process/process.h"
#include "symbol/dwarf/debugtype.h"
#include "symbol/dwarf/debugvariable.h"
#include "symbol/elf/debugfile.h"
#include "symbol/elf/elffacts.h"
#include "symbol/names/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEBUGINFO_S = 5 }; /* seconds for the debug information of one file */

void lock_names_init(struct lock_names *n, const struct processes *ps, bool debuginfo)
{
	*n = (struct lock_names){.ps = ps, .debuginfo = debuginfo};
	shared_memory_init(&n->shared);
	strpool_init(&n->texts);
	table_init(&n->known);
}

void lock_names_release(struct lock_names *n)
{
	shared_memory_release(&n->shared);
	strpool_release(&n->texts);
	table_release(&n->known);
}

const char *lock_names_get(struct lock_names *n, struct lock_place place)
{
	const uint32_t *text = table_get(&n->known, place.address, place.pid);

	return text ? strpool_get(&n->texts, *text) : NULL;
}

static void keep(struct lock_names *n, struct lock_place place, const char *name)
{
	bool is_new;

	*table_put(&n->known, place.address, place.pid, &is_new) = strpool_adds(&n->texts, name);
}

/* ---- locks in the data of files ---- */

struct static_lock {
	struct lock_place place;
	const struct object *object;
	uint64_t linked; /* link address in the file */
	struct elf_data_range range;
};

/* Returns the mapping of a file that is the next below ADDRESS, or NULL. A file's data follow its
 * code. */
static const struct mapping *mapping_below(
	const struct processes *ps, const struct process *p, uint64_t address)
{
	const struct mapping *below = NULL;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];

		if (m->start <= address && ps->objects[m->object].elf &&
			(!below || m->start > below->start))
			below = m;
	}
	return below;
}

/* Sets LOCK. Returns false if the lock is not in the data of a file. */
static bool find_static(
	const struct processes *ps, struct lock_place place, struct static_lock *lock)
{
	const struct process *p = processes_newest(ps, place.pid);
	const struct mapping *m = p ? mapping_below(ps, p, place.address) : NULL;

	*lock = (struct static_lock){.place = place};
	if (!m)
		return false;
	lock->object = &ps->objects[m->object];
	if (!elffile_mapped(lock->object->elf, m->offset, m->end - m->start, &lock->linked))
		return false;
	lock->linked += place.address - m->start;
	elffacts_data_at(lock->object->elf, lock->linked, &lock->range);
	return lock->range.is_data;
}

/* Names a lock by the file's symbols alone. */
static void name_by_symbol(struct lock_names *n, const struct static_lock *lock)
{
	const char *file = file_name(lock->object->path), *variable = lock->range.variable;
	uint64_t offset = lock->linked - lock->range.start;
	char *name;

	if (!*variable)
		name = xasprintf("%s+0x%" PRIx64, file, lock->linked);
	else if (!offset)
		name = xasprintf("%s (%s)", variable, file);
	else
		name = xasprintf("%s+0x%" PRIx64 " (%s)", variable, offset, file);
	keep(n, lock->place, name);
	free(name);
}

/* Locks of one file, about which a child without privileges asks the debug information. */
struct lock_file {
	const struct static_lock *locks; /* in the order of their addresses */
	size_t nr;
	struct elffile *debug, *alt;
	struct strbuf *output; /* index and name of each lock that is found, and a NUL byte */
};

static void open_files(void *arg)
{
	static const struct debug_paths paths;
	struct lock_file *q = arg;
	const struct object *o = q->locks->object;

	q->debug = debugfile_open(o->elf, o->path, &paths);
	q->alt = debugfile_open_alt(q->debug ? q->debug : o->elf, &paths);
}

static void take_name(void *arg, size_t i, const char *variable, const char *path)
{
	struct lock_file *q = arg;

	strbuf_addf(q->output, "%zu ", i);
	if (demangle_add(q->output, variable, DEMANGLE_SHORT) == NOT_MANGLED)
		strbuf_adds(q->output, variable);
	strbuf_adds(q->output, path);
	strbuf_addch(q->output, '\0');
}

static void answer(void *arg, struct strbuf *output)
{
	struct lock_file *q = arg;
	struct debugtypes *types =
		debugtypes_new(q->debug ? q->debug : q->locks->object->elf, q->alt);
	uint64_t *addresses = xcalloc(q->nr, sizeof(*addresses));

	q->output = output;
	for (size_t i = 0; i < q->nr; i++)
		addresses[i] = q->locks[i].linked;
	if (types)
		debugvariables_find(types, addresses, q->nr, take_name, q);
	debugtypes_free(types);
	free(addresses);
}

/* Names the locks that the child has found. It may be under the control of the file. */
static void take_answer(
	struct lock_names *n, const struct lock_file *q, const struct strbuf *output)
{
	const char *file = file_name(q->locks->object->path), *end = output->buf + output->len;

	for (const char *s = output->buf, *next;
		s < end && (next = memchr(s, 0, (size_t)(end - s))); s = next + 1) {
		size_t len = strcspn(s, " ");
		uint64_t i;

		if (!s[len] || !parse_u64(s, len, 10, &i) || i >= q->nr)
			continue;
		char *name = xasprintf("%s (%s)", s + len + 1, file);

		keep(n, q->locks[i].place, name);
		free(name);
	}
}

static int compare_locks(const void *a, const void *b)
{
	const struct static_lock *x = a, *y = b;
	int order = compare_u64((uintptr_t)x->object, (uintptr_t)y->object);

	return order ? order : compare_u64(x->linked, y->linked);
}

/* Asks the debug information of all files with LOCKS, which are in their order. */
static void name_by_debuginfo(struct lock_names *n, const struct static_lock *locks, size_t nr)
{
	struct lock_file *questions = xcalloc(nr, sizeof(*questions));
	struct worker *workers = xcalloc(nr, sizeof(*workers));
	size_t files = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!i || locks[i].object != locks[i - 1].object)
			questions[files++].locks = &locks[i];
		questions[files - 1].nr++;
	}
	for (size_t i = 0; i < files; i++)
		workers[i] = (struct worker){.open = open_files,
			.work = answer,
			.arg = &questions[i],
			.output = STRBUF_INIT};
	workers_run(workers, files, DEBUGINFO_S);
	for (size_t i = 0; i < files; i++) {
		if (workers[i].end == WORKER_DONE)
			take_answer(n, &questions[i], &workers[i].output);
		strbuf_release(&workers[i].output);
	}
	free(workers);
	free(questions);
}

/* ---- other locks ---- */

static void name_by_address(struct lock_names *n, struct lock_place place)
{
	char *name = place.pid ? shared_memory_place(&n->shared, place.pid, place.address) : NULL;

	if (!name && place.pid)
		name = xasprintf("0x%" PRIx64 " (process %" PRIu32 ")", place.address, place.pid);
	if (!name)
		name = xasprintf("0x%" PRIx64, place.address);
	keep(n, place, name);
	free(name);
}

void lock_names_learn(struct lock_names *n, const struct lock_place *list, size_t nr)
{
	struct static_lock *locks = xcalloc(nr, sizeof(*locks));
	size_t nr_static = 0;

	for (size_t i = 0; i < nr; i++) {
		if (lock_names_get(n, list[i]))
			continue;
		if (find_static(n->ps, list[i], &locks[nr_static]))
			name_by_symbol(n, &locks[nr_static++]);
		else
			name_by_address(n, list[i]);
	}
	if (nr_static && n->debuginfo) {
		qsort(locks, nr_static, sizeof(*locks), compare_locks);
		name_by_debuginfo(n, locks, nr_static);
	}
	free(locks);
}
