/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules.h"
#include "lib/folder.h"
#include "lib/util.h"
#include "unwind/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *cache_folder(void)
{
	char *cache = folder_cache(), *folder = xasprintf("%s/unwind", cache);

	free(cache);
	mkdir(folder, 0700); /* without it nothing is kept */
	return folder;
}

void rules_init(struct rules *r, struct processes *ps)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	*r = (struct rules){.ps = ps, .nr = 1, .alloc = 16, .cache = cache_folder()};
	r->files = xcalloc(r->alloc, sizeof(*r->files));
	r->nr_builders = (uint32_t)(cpus < 1 ? 1 : cpus > BUILDERS_MAX ? BUILDERS_MAX : cpus);
	for (uint32_t i = 0; i < r->nr_builders; i++)
		builder_start(&r->builders[i]);
}

void rules_release(struct rules *r)
{
	for (uint32_t i = 0; i < r->nr_builders; i++)
		builder_stop(&r->builders[i]);
	for (uint32_t i = 1; i < r->nr; i++)
		unwind_table_release(&r->files[i].table);
	free(r->files);
	free(r->cache);
	*r = (struct rules){0};
}

uint32_t rules_number(struct rules *r, size_t object)
{
	struct object *o = &r->ps->objects[object];

	if (o->table || !*o->path || r->nr == TABLES_MAX)
		return o->table;
	ALLOC_GROW(r->files, r->nr, r->alloc);
	r->files[r->nr] =
		(struct rules_file){.object = object, .state = o->elf ? TABLE_PENDING : TABLE_NONE};
	r->places[r->nr] = (struct table_place){.state = r->files[r->nr].state};
	return o->table = r->nr++;
}

/* Into the pool; without room there it serves only those stacks that come up as copies. */
static void place(struct rules *r, uint32_t number)
{
	const struct unwind_header *h = r->files[number].table.header;
	struct table_place *p = &r->places[number];
	uint32_t nr = h->nr_blocks - 1, first = pool_get(r->pool, nr);

	if (!first) {
		r->nr_homeless++;
		return;
	}
	pool_write(r->pool, first, r->files[number].table.blocks + UNWIND_BLOCK, nr);
	r->rows += h->nr_rows;
	r->blocks += nr;
	p->base = h->base;
	p->size = h->size;
	p->height = h->height;
	for (uint32_t i = 0; i <= h->height; i++)
		p->level[i] = first + h->level[i] - 1;
	p->rules = first + h->rules - 1;
	p->nr_rules = h->nr_rules;
	__atomic_store_n(&p->state, TABLE_READY, __ATOMIC_RELEASE);
}

static void settle(struct rules *r, uint32_t number, const struct unwind_table *table)
{
	struct rules_file *f = &r->files[number];

	f->table = *table;
	f->state = table->blocks ? TABLE_READY : TABLE_NONE;
	if (table->blocks)
		place(r, number);
	else
		__atomic_store_n(&r->places[number].state, TABLE_NONE, __ATOMIC_RELEASE);
}

/* Who has the least to do of those that live; else the first. */
static uint32_t idlest(const struct rules *r)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < r->nr_builders; i++)
		if (r->builders[i].socket >= 0 &&
			(r->builders[best].socket < 0 ||
				r->builders[i].asked < r->builders[best].asked))
			best = i;
	return best;
}

/* Gets the table by itself or has it made; that may have to be asked for again. */
static void ask(struct rules *r, uint32_t number)
{
	const struct object *o = &r->ps->objects[r->files[number].object];
	struct unwind_table table = {0};
	int fd = elffile_fd(o->elf);

	r->files[number].asked = true;
	if (*o->build_id && fd >= 0 && !unwind_cache_get(r->cache, o->build_id, &table)) {
		settle(r, number, &table);
	} else if (fd < 0) { /* the vdso: it is the kernel's own */
		unwind_table_build(&table, o->elf, NULL);
		settle(r, number, &table);
		return;
	}
	uint32_t builder = r->files[number].builder = idlest(r);
	int answer = builder_ask(&r->builders[builder], number, fd);

	if (answer < 0)
		settle(r, number, &table);
	r->files[number].asked = answer <= 0;
}

enum table_state rules_want(struct rules *r, uint32_t number, const struct unwind_table **table)
{
	if (!number || number >= r->nr)
		return TABLE_NONE;
	if (r->files[number].state == TABLE_PENDING && !r->files[number].asked)
		ask(r, number);
	*table = &r->files[number].table;
	return r->files[number].state;
}

/* Anyone can write a file that claims to be libc: only tables of root's and our own are kept. */
static bool is_trusted(const struct elffile *elf)
{
	struct stat st;

	return !fstat(elffile_fd(elf), &st) && (!st.st_uid || st.st_uid == geteuid());
}

/* What BUILDER, which died, was asked for will not come. */
static bool give_up(struct rules *r, uint32_t builder)
{
	const struct unwind_table none = {0};
	bool any = false;

	for (uint32_t i = 1; i < r->nr; i++)
		if (r->files[i].state == TABLE_PENDING && r->files[i].asked &&
			r->files[i].builder == builder) {
			settle(r, i, &none);
			any = true;
		}
	return any;
}

static int64_t file_size(const struct rules *r, uint32_t number)
{
	const struct object *o = &r->ps->objects[r->files[number].object];
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

void rules_want_all(struct rules *r, bool small_first)
{
	struct sized *files = xcalloc(r->nr, sizeof(*files));
	const struct unwind_table *table;

	for (uint32_t i = 1; i < r->nr; i++)
		files[i - 1] = (struct sized){i, file_size(r, i)};
	if (small_first)
		qsort(files, r->nr - 1, sizeof(*files), compare_sizes);
	for (uint32_t i = 0; i + 1 < r->nr; i++)
		rules_want(r, files[i].number, &table);
	free(files);
}

static void take_table(struct rules *r, uint32_t number, int fd)
{
	const struct object *o = &r->ps->objects[r->files[number].object];
	struct unwind_table table = {0};

	if (fd >= 0)
		unwind_table_open(&table, fd, o->build_id);
	if (table.blocks && is_trusted(o->elf))
		unwind_cache_put(r->cache, &table);
	settle(r, number, &table);
}

static bool take_from(struct rules *r, uint32_t builder)
{
	uint32_t number;
	bool any = false;
	int fd;

	while (builder_take(&r->builders[builder], &number, &fd)) {
		if (number && number < r->nr && r->files[number].state == TABLE_PENDING &&
			r->files[number].builder == builder) {
			take_table(r, number, fd);
			any = true;
		}
		if (fd >= 0)
			close(fd);
	}
	if (r->builders[builder].socket < 0)
		any |= give_up(r, builder);
	return any;
}

bool rules_take(struct rules *r)
{
	bool any = false;

	for (uint32_t i = 0; i < r->nr_builders; i++)
		any |= take_from(r, i);
	return any;
}

uint32_t rules_waiting(const struct rules *r)
{
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < r->nr_builders; i++)
		waiting += r->builders[i].socket < 0 ? 0 : r->builders[i].asked;
	return waiting;
}

nfds_t rules_poll(const struct rules *r, struct pollfd *fds)
{
	for (uint32_t i = 0; i < r->nr_builders; i++)
		fds[i] = (struct pollfd){.fd = r->builders[i].socket, .events = POLLIN};
	return r->nr_builders;
}
