/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader.h"
#include "lib/folder.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "unwind/table_cache.h"
#include "unwind/unwind_build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *cache_folder(void)
{
	char *cache = folder_cache(), *folder = xasprintf("%s/unwind", cache);

	free(cache);
	mkdir(folder, 0700); /* if this fails, nothing is cached */
	return folder;
}

void loader_init(struct loader *l, struct processes *ps)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*l = (struct loader){.ps = ps, .nr = 1, .alloc = 16, .cache = cache_folder()};
	l->files = xcalloc(l->alloc, sizeof(*l->files));
	l->nr_builders = (uint32_t)(cpus < 1 ? 1 : cpus > BUILDERS_MAX ? BUILDERS_MAX : cpus);
	for (uint32_t i = 0; i < l->nr_builders; i++)
		builder_start(&l->builders[i]);
}

void loader_release(struct loader *l)
{
	for (uint32_t i = 0; i < l->nr_builders; i++)
		builder_stop(&l->builders[i]);
	for (uint32_t i = 1; i < l->nr; i++)
		unwind_table_release(&l->files[i].table);
	free(l->files);
	free(l->cache);
	*l = (struct loader){0};
}

uint32_t loader_number(struct loader *l, size_t object)
{
	struct object *o = &l->ps->objects[object];

	if (o->table || !*o->path || l->nr == TABLES_MAX)
		return o->table;
	ALLOC_GROW(l->files, l->nr, l->alloc);
	l->files[l->nr] = (struct loader_file){
		.object = object, .state = o->elf ? TABLE_PENDING : TABLE_NONE};
	l->descs[l->nr] = (struct table_desc){.state = l->files[l->nr].state};
	return o->table = l->nr++;
}

/* Puts the table into the pool. Without room there it only unwinds copied stacks. */
static void place_table(struct loader *l, uint32_t number)
{
	const struct unwind_header *h = l->files[number].table.header;
	struct table_desc *p = &l->descs[number];
	uint32_t nr = h->nr_blocks - 1, first = pool_get(l->pool, nr);

	if (!first) {
		l->nr_unplaced++;
		return;
	}
	pool_write(l->pool, first, l->files[number].table.blocks + UNWIND_BLOCK, nr);
	l->rows += h->nr_rows;
	l->blocks += nr;
	p->base = h->base;
	p->size = h->size;
	p->height = h->height;
	for (uint32_t i = 0; i <= h->height; i++)
		p->level[i] = first + h->level[i] - 1;
	p->rules = first + h->rules - 1;
	p->nr_rules = h->nr_rules;
	__atomic_store_n(&p->state, TABLE_READY, __ATOMIC_RELEASE);
}

static void set_table(struct loader *l, uint32_t number, const struct unwind_table *table)
{
	struct loader_file *f = &l->files[number];

	f->table = *table;
	f->state = table->blocks ? TABLE_READY : TABLE_NONE;
	if (table->blocks)
		place_table(l, number);
	else
		__atomic_store_n(&l->descs[number].state, TABLE_NONE, __ATOMIC_RELEASE);
}

/* The live builder with the fewest requests; the first one if none is alive. */
static uint32_t least_busy(const struct loader *l)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < l->nr_builders; i++)
		if (l->builders[i].socket >= 0 &&
			(l->builders[best].socket < 0 ||
				l->builders[i].nr_requests < l->builders[best].nr_requests))
			best = i;
	return best;
}

/* Reads the table from the cache or has it built; a full socket leaves it for the next call. */
static void request(struct loader *l, uint32_t number)
{
	const struct object *o = &l->ps->objects[l->files[number].object];
	struct unwind_table table = {0};
	int fd = elffile_fd(o->elf);

	l->files[number].requested = true;
	if (*o->build_id && fd >= 0 && !unwind_cache_get(l->cache, o->build_id, &table)) {
		set_table(l, number, &table);
		return;
	}
	if (fd < 0) { /* the vdso, which is the kernel's: safe to parse here */
		unwind_build(&table, o->elf, NULL);
		set_table(l, number, &table);
		return;
	}
	uint32_t builder = l->files[number].builder = least_busy(l);
	int result = builder_request(&l->builders[builder], number, fd);

	if (result < 0)
		set_table(l, number, &table);
	l->files[number].requested = result <= 0;
}

enum table_state loader_request(
	struct loader *l, uint32_t number, const struct unwind_table **table)
{
	if (!number || number >= l->nr)
		return TABLE_NONE;
	if (l->files[number].state == TABLE_PENDING && !l->files[number].requested)
		request(l, number);
	*table = &l->files[number].table;
	return l->files[number].state;
}

/* Any user can write a file with libc's build-id: cache only those of root's and our own files. */
static bool is_trusted(const struct elffile *elf)
{
	struct stat st;

	return !fstat(elffile_fd(elf), &st) && (!st.st_uid || st.st_uid == geteuid());
}

/* BUILDER has died: its requests get no result. True if there were any. */
static bool drop_requests(struct loader *l, uint32_t builder)
{
	const struct unwind_table none = {0};
	bool any = false;

	for (uint32_t i = 1; i < l->nr; i++)
		if (l->files[i].state == TABLE_PENDING && l->files[i].requested &&
			l->files[i].builder == builder) {
			set_table(l, i, &none);
			any = true;
		}
	return any;
}

static int64_t file_size(const struct loader *l, uint32_t number)
{
	const struct object *o = &l->ps->objects[l->files[number].object];
	struct stat st;

	return o->elf && !fstat(elffile_fd(o->elf), &st) ? st.st_size : 0;
}

struct sized {
	uint32_t number;
	int64_t size;
};

static int compare_sizes(const void *va, const void *vb)
{
	const struct sized *a = va, *b = vb;

	return (a->size > b->size) - (a->size < b->size);
}

void loader_request_all(struct loader *l, bool small_first)
{
	struct sized *files = xcalloc(l->nr, sizeof(*files));
	const struct unwind_table *table;

	for (uint32_t i = 1; i < l->nr; i++)
		files[i - 1] = (struct sized){i, file_size(l, i)};
	if (small_first)
		qsort(files, l->nr - 1, sizeof(*files), compare_sizes);
	for (uint32_t i = 0; i + 1 < l->nr; i++)
		loader_request(l, files[i].number, &table);
	free(files);
}

static void receive_table(struct loader *l, uint32_t number, int fd)
{
	const struct object *o = &l->ps->objects[l->files[number].object];
	struct unwind_table table = {0};

	if (fd >= 0)
		unwind_table_open(&table, fd, o->build_id);
	if (table.blocks && is_trusted(o->elf))
		unwind_cache_put(l->cache, &table);
	set_table(l, number, &table);
}

static bool receive_from(struct loader *l, uint32_t builder)
{
	uint32_t number;
	bool any = false;
	int fd;

	while (builder_receive(&l->builders[builder], &number, &fd)) {
		if (number && number < l->nr && l->files[number].state == TABLE_PENDING &&
			l->files[number].builder == builder) {
			receive_table(l, number, fd);
			any = true;
		}
		if (fd >= 0)
			close(fd);
	}
	if (l->builders[builder].socket < 0)
		any |= drop_requests(l, builder);
	return any;
}

bool loader_receive(struct loader *l)
{
	bool any = false;

	for (uint32_t i = 0; i < l->nr_builders; i++)
		any |= receive_from(l, i);
	return any;
}

uint32_t loader_nr_pending(const struct loader *l)
{
	uint32_t pending = 0;

	for (uint32_t i = 0; i < l->nr_builders; i++)
		pending += l->builders[i].socket < 0 ? 0 : l->builders[i].nr_requests;
	return pending;
}

nfds_t loader_poll(const struct loader *l, struct pollfd *fds)
{
	for (uint32_t i = 0; i < l->nr_builders; i++)
		fds[i] = (struct pollfd){.fd = l->builders[i].socket, .events = POLLIN};
	return l->nr_builders;
}
