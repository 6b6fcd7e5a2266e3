/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "loader.h"
#include "lib/folder.h"
#include "lib/limits/memory.h"
#include "lib/util.h"
#include "symbol/elf/elffile.h"
#include "unwind/table_cache.h"
#include "runtime/native.h"
#include "unwind/unwind_build.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processor time for the first try of a file; libLLVM takes 0.3 s, chromium 0.4 s. */
static const int64_t FIRST_NS = 2000000000;

enum {
	SECOND_TRY = 4,         /* times as long as the first */
	RESTART_NS = 100000000, /* wait before a restart, doubled with each bad file in a row */
	RESTARTS_MAX = 5,       /* how often the wait is doubled */
	IDLE_S = 30,            /* until builders without work end, which keep memory */
};

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
		builder_start(&l->builders[i], true);
	l->file_ns = FIRST_NS;
	l->busy_ns = monotonic_ns();
}

void loader_release(struct loader *l)
{
	for (uint32_t i = 0; i < l->nr_builders; i++)
		builder_stop(&l->builders[i]);
	for (uint32_t i = 1; i < l->nr; i++)
		unwind_table_release(&l->files[i].table);
	free(l->files);
	free(l->unused);
	free(l->cache);
	*l = (struct loader){0};
}

/* Returns a number for a table, or 0 if there are too many tables. */
static uint32_t new_number(struct loader *l)
{
	if (l->nr_usable) {
		uint32_t number = l->unused[--l->nr_usable];

		l->unused[l->nr_usable] = l->unused[--l->nr_unused];
		return number;
	}
	if (l->nr == TABLES_MAX)
		return 0;
	ALLOC_GROW(l->files, l->nr, l->alloc);
	return l->nr++;
}

uint32_t loader_number(struct loader *l, size_t object)
{
	struct object *o = &l->ps->objects[object];

	if (o->table || !*o->path)
		return o->table;
	uint32_t number = new_number(l);

	if (!number)
		return 0;
	l->files[number] = (struct loader_file){.object = object,
		.state = o->elf && !elffile_is_shut(o->elf) ? TABLE_PENDING : TABLE_NONE};
	l->descs[number] = (struct table_desc){
		.state = l->files[number].state,
		.is_final = l->files[number].state == TABLE_NONE,
	};
	return o->table = number;
}

/*
 * Puts the table into the pool, from where copied stacks are unwound, too. Returns false if there
 * is no room.
 */
static bool place_table(struct loader *l, uint32_t number)
{
	struct loader_file *f = &l->files[number];
	const struct unwind_header *h = f->table.header;
	struct table_desc *p = &l->descs[number];
	uint32_t nr = h->nr_blocks - 1, first = pool_get(l->pool, nr);

	if (!first)
		return false;
	f->block = first;
	f->nr = nr;
	pool_write(l->pool, first, f->table.blocks + UNWIND_BLOCK, nr);
	l->rows += h->nr_rows;
	l->blocks += nr;
	p->base = h->base;
	p->size = h->size;
	p->height = (uint16_t)h->height;
	for (uint32_t i = 0; i <= h->height; i++)
		p->level[i] = first + h->level[i] - 1;
	p->rules = first + h->rules - 1;
	p->nr_rules = h->nr_rules;
	__atomic_store_n(&p->state, TABLE_READY, __ATOMIC_RELEASE);
	unwind_table_move(&f->table, pool_block(l->pool, first));
	return true;
}

/* Keeps a table that only unwinds copied stacks, unless all of these reach a memory limit. */
static void keep_unplaced(struct loader *l, struct unwind_table *table)
{
	l->nr_unplaced++;
	if (l->bytes + table->size <= memory_share(UINT64_MAX, 8))
		l->bytes += table->size;
	else
		unwind_table_release(table);
}

static void set_table(struct loader *l, uint32_t number, const struct unwind_table *table)
{
	struct loader_file *f = &l->files[number];

	f->table = *table;
	if (table->header && !place_table(l, number))
		keep_unplaced(l, &f->table);
	f->state = f->table.header ? TABLE_READY : TABLE_NONE;
	if (!f->table.header)
		__atomic_store_n(&l->descs[number].state, TABLE_NONE, __ATOMIC_RELEASE);
}

static void enqueue(struct loader *l, uint32_t number)
{
	struct loader_queue *q = &l->queues[l->files[number].nr_late];

	l->files[number].next = 0;
	if (q->first)
		l->files[q->last].next = number;
	else
		q->first = number;
	q->last = number;
}

static uint32_t dequeue(struct loader *l, struct loader_queue *q)
{
	uint32_t number = q->first;

	q->first = l->files[number].next;
	return number;
}

/* Removes the table from the pool and from memory. */
static void drop_table(struct loader *l, uint32_t number)
{
	struct loader_file *f = &l->files[number];

	if (f->block) {
		pool_put(l->pool, f->block, f->nr);
		l->rows -= f->table.header->nr_rows;
		l->blocks -= f->nr;
		f->block = 0;
	} else {
		l->bytes -= f->table.size;
	}
	unwind_table_release(&f->table);
}

/* Replaces the first table by its analysed table NUMBER, if that was built. */
static void replace(struct loader *l, uint32_t number)
{
	uint32_t first = l->files[number].first;

	l->descs[number].is_final = l->descs[first].is_final = true;
	if (!l->files[number].block)
		return;
	__atomic_store_n(&l->descs[first].better, number, __ATOMIC_RELEASE);
	drop_table(l, first);
}

static void end_request(struct loader *l, uint32_t number, const struct unwind_table *table)
{
	l->nr_pending--;
	if (table->header && table->header->analysed)
		l->descs[number].is_final = true;
	set_table(l, number, table);
	if (l->files[number].first)
		replace(l, number);
}

/*
 * Returns whether BUILDER may take a file that has been late NR_LATE times. No file waits behind
 * one that has been late before, and only one builder tries such files.
 */
static bool may_take(const struct loader *l, uint32_t builder, uint32_t nr_late)
{
	const struct builder *b = &l->builders[builder];

	if (b->socket < 0 || b->nr_requests == BUILDER_DEPTH ||
		(b->nr_requests && (nr_late || l->files[b->requests[0]].nr_late)))
		return false;
	for (uint32_t i = 0; nr_late && i < l->nr_builders; i++)
		if (l->builders[i].nr_requests && l->files[l->builders[i].requests[0]].nr_late)
			return false;
	return true;
}

/*
 * Returns the builder with the fewest requests that may take a file, or nr_builders if there is
 * none.
 */
static uint32_t find_builder(const struct loader *l, uint32_t nr_late)
{
	uint32_t best = l->nr_builders;

	for (uint32_t i = 0; i < l->nr_builders; i++)
		if (may_take(l, i, nr_late) &&
			(best == l->nr_builders ||
				l->builders[i].nr_requests < l->builders[best].nr_requests))
			best = i;
	return best;
}

bool loader_is_hopeless(const struct loader *l)
{
	for (uint32_t i = 0; i < l->nr_builders; i++)
		if (!l->builders[i].hopeless)
			return false;
	return true;
}

/* Gives the first file of QUEUE to a builder. Returns false if no builder takes it. */
static bool hand_out_one(struct loader *l, struct loader_queue *queue, uint32_t nr_late)
{
	uint32_t number = queue->first, builder = find_builder(l, nr_late);
	const struct loader_file *f = &l->files[number];

	if (builder == l->nr_builders ||
		builder_request(&l->builders[builder], number,
			elffile_fd(l->ps->objects[f->object].elf), f->first))
		return false;
	dequeue(l, queue);
	return true;
}

/* Gives the waiting files to builders that have time. */
static void hand_out(struct loader *l)
{
	const struct unwind_table none = {0};

	for (uint32_t late = 0; late < LOADER_TRIES; late++)
		while (l->queues[late].first) {
			if (loader_is_hopeless(l))
				end_request(l, dequeue(l, &l->queues[late]), &none);
			else if (!hand_out_one(l, &l->queues[late], late))
				break;
		}
}

static uint32_t nr_running(const struct loader *l)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < l->nr_builders; i++)
		nr += l->builders[i].socket >= 0;
	return nr;
}

/* Returns whether a builder that does not run is to be started. */
static bool is_wanted(const struct loader *l, uint32_t builder)
{
	const struct loader_start *start = &l->starts[builder];

	return l->builders[builder].socket < 0 && !l->builders[builder].hopeless &&
	       (!start->was_idle || nr_running(l) < l->nr_pending) &&
	       monotonic_ns() >= start->at_ns;
}

/* Starts builders again that have ended, if there is work. */
static void restart(struct loader *l)
{
	for (uint32_t i = 0; l->nr_pending && i < l->nr_builders; i++)
		if (is_wanted(l, i)) {
			builder_start(&l->builders[i], false);
			l->starts[i].at_ns = monotonic_ns() + RESTART_NS; /* in case it fails */
			l->starts[i].was_idle = false;
		}
}

/* Reads the table from the cache or has it built. */
static void request(struct loader *l, uint32_t number)
{
	const struct object *o = &l->ps->objects[l->files[number].object];
	struct unwind_table table = {0};
	int fd = elffile_fd(o->elf);

	l->files[number].requested = true;
	if (*o->build_id && fd >= 0 && !unwind_cache_get(l->cache, o->build_id, &table)) {
		l->descs[number].is_final = table.header->analysed;
		set_table(l, number, &table);
		return;
	}
	if (fd < 0) { /* the vdso, which comes from the kernel and is safe to parse here */
		unwind_build(&table, o->elf, native_sources, false, NULL);
		l->descs[number].is_final = true;
		set_table(l, number, &table);
		return;
	}
	l->nr_pending++;
	enqueue(l, number);
	restart(l);
	hand_out(l);
}

enum table_state loader_request(
	struct loader *l, uint32_t number, const struct unwind_table **table)
{
	if (!number || number >= l->nr)
		return TABLE_NONE;
	if (l->files[number].state == TABLE_PENDING && !l->files[number].requested)
		request(l, number);
	if (l->files[number].better && l->files[l->files[number].better].state == TABLE_READY)
		number = l->files[number].better;
	*table = &l->files[number].table;
	return l->files[number].state;
}

void loader_miss(struct loader *l, uint32_t number)
{
	if (number && number < l->nr && !l->descs[number].is_final)
		l->descs[number].missed = true;
}

/* Requests analysed tables of the files in which code without rules was hit. */
static void request_better(struct loader *l)
{
	for (uint32_t i = 1, nr = l->nr; i < nr; i++) {
		struct loader_file *f = &l->files[i];
		uint32_t better;

		if (!l->descs[i].missed || f->is_unused || f->state == TABLE_PENDING)
			continue;
		l->descs[i].missed = false;
		if (l->descs[i].is_final || f->better ||
			elffile_fd(l->ps->objects[f->object].elf) < 0)
			continue;
		better = new_number(l);
		if (!better)
			continue;
		f = &l->files[i]; /* it may have moved */
		f->better = better;
		l->files[better] = (struct loader_file){.object = f->object,
			.state = TABLE_PENDING,
			.requested = true,
			.nr_late = LOADER_TRIES - 1, /* missing tables come first */
			.first = i};
		l->descs[better] = (struct table_desc){.state = TABLE_PENDING};
		l->nr_pending++;
		enqueue(l, better);
	}
}

/*
 * Returns whether the table of ELF may be cached. Any user can write a file with libc's build-id,
 * so only the tables of files that belong to root or the recorder's user are cached.
 */
static bool is_trusted(const struct elffile *elf)
{
	struct stat st;

	return !fstat(elffile_fd(elf), &st) && (!st.st_uid || st.st_uid == geteuid());
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
	if (table.header && is_trusted(o->elf))
		unwind_cache_put(l->cache, &table);
	end_request(l, number, &table);
}

/*
 * Takes back the requests of BUILDER, which was ended by its first file. Either the file is bad, or
 * it is LATE or another process has ended the builder, and it waits for another try. The files
 * behind it wait for another builder.
 */
static void take_back(struct loader *l, uint32_t builder, bool late)
{
	const struct unwind_table none = {0};
	struct builder *b = &l->builders[builder];
	struct loader_start *start = &l->starts[builder];
	int64_t wait_ns = (int64_t)RESTART_NS
			  << (start->nr_bad < RESTARTS_MAX ? start->nr_bad : RESTARTS_MAX);

	start->at_ns = monotonic_ns() + (start->nr_bad ? wait_ns : 0);
	for (uint32_t i = 0; i < b->nr_requests; i++) {
		struct loader_file *f = &l->files[b->requests[i]];

		if (b->hopeless || i || (late && ++f->nr_late < LOADER_TRIES)) {
			enqueue(l, b->requests[i]);
			continue;
		}
		l->descs[b->requests[i]].is_final = true;
		if (!f->first) /* otherwise it has the rules of the file, just no better ones */
			l->ps->objects[f->object].gap = CUT_DAMAGED;
		end_request(l, b->requests[i], &none);
		l->nr_bad++;
	}
	start->nr_bad += b->nr_requests > 0;
	b->nr_requests = 0;
}

static bool receive_from(struct loader *l, uint32_t builder)
{
	struct builder *b = &l->builders[builder];
	bool was_alive = b->socket >= 0, any = false;
	uint32_t number;
	int fd;

	while (builder_receive(b, &number, &fd)) {
		receive_table(l, number, fd);
		l->starts[builder].nr_bad = 0;
		any = true;
		if (fd >= 0)
			close(fd);
	}
	if (!was_alive)
		return false;
	bool late = b->socket >= 0 && b->nr_requests &&
		    builder_is_late(b, l->files[b->requests[0]].nr_late ? SECOND_TRY * l->file_ns
									: l->file_ns);

	if (late)
		builder_stop(b);
	if (b->socket < 0) {
		any |= b->nr_requests > 0;
		take_back(l, builder, late || b->signalled);
	}
	return any;
}

/* Ends the builders if they have had no work for some time. */
static void end_idle(struct loader *l)
{
	int64_t now = monotonic_ns();

	if (l->nr_pending)
		l->busy_ns = now;
	if (now - l->busy_ns <= IDLE_S * 1000000000LL)
		return;
	for (uint32_t i = 0; i < l->nr_builders; i++) {
		l->starts[i].was_idle |= l->builders[i].socket >= 0;
		builder_stop(&l->builders[i]);
	}
}

bool loader_receive(struct loader *l)
{
	bool any = false;

	for (uint32_t i = 0; i < l->nr_builders; i++)
		any |= receive_from(l, i);
	request_better(l);
	restart(l);
	hand_out(l);
	end_idle(l);
	return any;
}

static void free_table(struct loader *l, uint32_t number)
{
	struct loader_file *f = &l->files[number];

	__atomic_store_n(&l->descs[number].state, TABLE_NONE, __ATOMIC_RELEASE);
	drop_table(l, number);
	l->ps->objects[f->object].table = 0;
	*f = (struct loader_file){.is_unused = true};
	ALLOC_GROW(l->unused, l->nr_unused, l->unused_alloc);
	l->unused[l->nr_unused++] = number;
}

static bool is_pending(const struct loader *l, uint32_t number)
{
	return number && l->files[number].state == TABLE_PENDING && l->files[number].requested;
}

void loader_sweep(struct loader *l)
{
	l->nr_usable = l->nr_unused;
	for (uint32_t i = 1; i < l->nr; i++) {
		const struct loader_file *f = &l->files[i];
		bool waits = is_pending(l, i) || is_pending(l, f->better);

		if (!f->is_unused && !waits && !l->ps->objects[f->object].is_needed)
			free_table(l, i);
	}
}

uint32_t loader_nr_pending(const struct loader *l)
{
	return l->nr_pending;
}

nfds_t loader_poll(const struct loader *l, struct pollfd *fds)
{
	for (uint32_t i = 0; i < l->nr_builders; i++)
		fds[i] = (struct pollfd){.fd = l->builders[i].socket, .events = POLLIN};
	return l->nr_builders;
}
