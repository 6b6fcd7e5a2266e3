/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "created_pools.h"
#include "drain.h"
#include "label/nginx/nginx_pool.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

enum { READ_S = 5 }; /* for the sizes of all pools */

/* Ranges of ages, by what they begin with. */
static const struct age {
	const char *name;
	uint32_t seconds;
} ages[] = {{"0s", 0}, {"1s", 1}, {"10s", 10}, {"1m", 60}, {"10m", 600}, {"1h", 3600}};

void created_pools_init(
	struct created_pools *p, int map, struct drain *drain, struct processes *processes)
{
	*p = (struct created_pools){.map = map, .drain = drain, .processes = processes};
	if (map < 0)
		return;
	drain->events[ROW_BYTES] = samples_event(
		drain->samples, &(struct sample_event){"bytes", "bytes", "monotonic", 0, 1});
	for (uint32_t i = 0; i < ARRAY_LEN(ages); i++)
		drain->labels[POOL_LABEL(i)] =
			samples_label(drain->samples, 0, "age", ages[i].name);
}

void created_pools_release(struct created_pools *p)
{
	free(p->list);
	p->list = NULL;
}

void created_pools_ended(struct created_pools *p, uint32_t pid)
{
	if (p->map < 0)
		return;
	struct map_entries e = drain_read_held(p->drain);

	for (uint32_t i = 0; i < e.nr; i++) {
		const struct pool_key *key = (const struct pool_key *)e.keys + i;

		if (key->tgid == pid)
			bpf_map_delete_elem(p->map, key);
	}
	map_entries_release(&e);
}

/* ---- at the end ---- */

/* By process and address. */
static int compare_pools(const void *a, const void *b)
{
	const struct pool_at_end *x = a, *y = b;

	return x->key.tgid != y->key.tgid ? compare_u64(x->key.tgid, y->key.tgid)
					  : compare_u64(x->key.address, y->key.address);
}

static void list_pools(struct created_pools *p)
{
	struct map_entries e = drain_read_held(p->drain);

	p->list = xcalloc(e.nr + 1, sizeof(*p->list));
	for (p->nr = 0; p->nr < e.nr; p->nr++)
		p->list[p->nr] =
			(struct pool_at_end){.key = ((const struct pool_key *)e.keys)[p->nr],
				.created = ((const struct created_pool *)e.values)[p->nr]};
	map_entries_release(&e);
	qsort(p->list, p->nr, sizeof(*p->list), compare_pools);
}

static void read_size(
	struct created_pools *p, struct pool_at_end *pool, const struct memory *m, bool uses_glibc)
{
	struct nginx_pool size = {0};

	nginx_pool_read_same(m, pool->key.address, uses_glibc, &size);
	pool->bytes = nginx_pool_bytes(&size);
	p->nr_unread += !size.is_whole;
	p->nr_unknown += size.nr_unknown > 0;
}

/* Reads the sizes of the NR pools in LIST, all of one process, until END. */
static void read_sizes(struct created_pools *p, struct pool_at_end *list, size_t nr, int64_t end_ns)
{
	const struct process *process = processes_known(p->processes, list->key.tgid);
	struct target t;
	bool uses_glibc;
	size_t i = 0;

	if (process) {
		inspect_init(&t, p->processes, process, NULL);
		uses_glibc = nginx_pool_uses_glibc(&t);
		for (; i < nr && monotonic_ns() < end_ns; i++)
			read_size(p, &list[i], &t.memory, uses_glibc);
		inspect_release(&t);
	}
	p->nr_unread += nr - i;
}

/* How many from I on are of the same process. */
static size_t run_length(const struct created_pools *p, size_t i)
{
	size_t nr = 1;

	while (i + nr < p->nr && p->list[i + nr].key.tgid == p->list[i].key.tgid)
		nr++;
	return nr;
}

void created_pools_read(struct created_pools *p)
{
	int64_t end_ns = monotonic_ns() + READ_S * 1000000000LL;

	if (p->map < 0)
		return;
	list_pools(p);
	for (size_t i = 0, nr; i < p->nr; i += nr) {
		nr = run_length(p, i);
		if (task_lives(p->list[i].key.tgid, 0))
			read_sizes(p, &p->list[i], nr, end_ns);
	}
}

void created_pools_check(struct created_pools *p)
{
	size_t kept = 0;

	for (size_t i = 0, nr; i < p->nr; i += nr) {
		nr = run_length(p, i);
		bool lives = task_lives(p->list[i].key.tgid, 0);

		for (size_t k = i; lives && k < i + nr; k++) {
			struct created_pool now;

			if (!bpf_map_lookup_elem(p->map, &p->list[k].key, &now) &&
				now.since == p->list[k].created.since)
				p->list[kept++] = p->list[k];
		}
	}
	p->nr = kept;
}

static uint32_t label_of(uint64_t age_ns)
{
	uint32_t i = ARRAY_LEN(ages) - 1;

	while (age_ns < ages[i].seconds * 1000000000ULL)
		i--;
	return POOL_LABEL(i);
}

void created_pools_add(const struct created_pools *p, uint64_t min_age_ns, uint64_t now_ns)
{
	for (size_t i = 0; i < p->nr; i++) {
		const struct pool_at_end *pool = &p->list[i];
		uint64_t age_ns = now_ns > pool->created.since ? now_ns - pool->created.since : 0;
		struct row_key row = pool->created.key;

		if (age_ns < min_age_ns)
			continue;
		row.labels = label_of(age_ns);
		drain_add(p->drain, &row, 1, 1);
		row.event = ROW_BYTES;
		drain_add(p->drain, &row, 1, pool->bytes);
	}
}

void created_pools_note(const struct created_pools *p, struct strbuf *notes)
{
	if (p->nr_unread)
		strbuf_addf(notes,
			"the sizes of %" PRIu64 " pools could not be read completely: they have "
			"more bytes than shown\n",
			p->nr_unread);
	if (p->nr_unknown)
		strbuf_addf(notes,
			"%" PRIu64 " pools have large allocations of unknown size, as malloc is "
			"not glibc's: they have more bytes than shown\n",
			p->nr_unknown);
}
