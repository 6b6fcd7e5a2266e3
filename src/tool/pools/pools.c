/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pools: reads at the end how large the pools are that nginx has created and not destroyed, from
 * the memory of its processes; see pools.bpf.c.
 */
#include "ages.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "label/nginx/nginx_pool.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/inspect.h"
#include "process/process.h"
#include "process/task.h"

#include <bpf/bpf.h>
#include <inttypes.h>
#include <stdlib.h>

#include "bpf/pools.object.h"
#include "bpf/pools.plain.object.h"

/* Index of the option in the script's header; its value is in seconds. */
enum { POOLS_OPTION_MIN_AGE };

/* The pools that existed at the end. */
struct open_pools {
	struct open_pool {
		struct span_key key;
		struct span created;
		uint64_t bytes;
	} * list;
	size_t nr;
	uint64_t nr_unread;  /* pools whose sizes could not be read */
	uint64_t nr_unknown; /* pools with allocations of unknown size */
};

enum { READ_S = 5 }; /* time to read the sizes of all pools */

static void begin(struct tool_run *run)
{
	run->data = xcalloc(1, sizeof(struct open_pools));
	run->drain->events[ROW_BYTES] = samples_event(
		run->drain->samples, &(struct sample_event){"bytes", "bytes", "monotonic", 0, 1});
	ages_name(run->drain);
}

static void release(struct tool_run *run)
{
	struct open_pools *p = run->data;

	free(p->list);
	free(p);
}

static void ended(struct tool_run *run, uint32_t pid)
{
	struct drain_spans spans = drain_read_spans(run->drain);

	for (uint32_t i = 0; i < spans.nr; i++)
		if (spans.keys[i].tgid == pid)
			bpf_map_delete_elem(run->drain->spans, &spans.keys[i]);
	drain_spans_release(&spans);
}

/* ---- the end ---- */

/* Orders pools by process and address. */
static int compare_pools(const void *a, const void *b)
{
	const struct open_pool *x = a, *y = b;

	return x->key.tgid != y->key.tgid ? compare_u64(x->key.tgid, y->key.tgid)
					  : compare_u64(x->key.id, y->key.id);
}

static void list_pools(struct open_pools *p, struct drain *drain)
{
	struct drain_spans spans = drain_read_spans(drain);

	p->list = xcalloc(spans.nr + 1, sizeof(*p->list));
	for (p->nr = 0; p->nr < spans.nr; p->nr++)
		p->list[p->nr] = (struct open_pool){
			.key = spans.keys[p->nr], .created = spans.values[p->nr]};
	drain_spans_release(&spans);
	qsort(p->list, p->nr, sizeof(*p->list), compare_pools);
}

static void read_size(
	struct open_pools *p, struct open_pool *pool, const struct memory *m, bool uses_glibc)
{
	struct nginx_pool size = {0};

	nginx_pool_read_same(m, pool->key.id, uses_glibc, &size);
	pool->bytes = nginx_pool_bytes(&size);
	p->nr_unread += !size.is_whole;
	p->nr_unknown += size.nr_unknown > 0;
}

/* Reads the sizes of the NR pools in LIST, which all belong to one process, until END_NS. */
static void read_sizes(struct tool_run *run, struct open_pool *list, size_t nr, int64_t end_ns)
{
	struct processes *ps = run->facet.ps;
	const struct process *process = processes_known(ps, list->key.tgid);
	struct open_pools *p = run->data;
	struct target t;
	bool uses_glibc;
	size_t i = 0;

	if (process) {
		inspect_init(&t, ps, process, NULL);
		uses_glibc = nginx_pool_uses_glibc(&t);
		for (; i < nr && monotonic_ns() < end_ns; i++)
			read_size(p, &list[i], &t.memory, uses_glibc);
		inspect_release(&t);
	}
	p->nr_unread += nr - i;
}

/* Returns how many pools from index I on belong to the same process. */
static size_t run_length(const struct open_pools *p, size_t i)
{
	size_t nr = 1;

	while (i + nr < p->nr && p->list[i + nr].key.tgid == p->list[i].key.tgid)
		nr++;
	return nr;
}

/* Reads the pools that exist. */
static void stop(struct tool_run *run)
{
	int64_t end_ns = monotonic_ns() + READ_S * 1000000000LL;
	struct open_pools *p = run->data;

	list_pools(p, run->drain);
	for (size_t i = 0, nr; i < p->nr; i += nr) {
		nr = run_length(p, i);
		if (task_lives(p->list[i].key.tgid, 0))
			read_sizes(run, &p->list[i], nr, end_ns);
	}
}

/* Drops the pools that were destroyed while the sizes of pools were read. */
static void stopped(struct tool_run *run)
{
	struct open_pools *p = run->data;
	size_t kept = 0;

	for (size_t i = 0, nr; i < p->nr; i += nr) {
		nr = run_length(p, i);
		bool lives = task_lives(p->list[i].key.tgid, 0);

		for (size_t k = i; lives && k < i + nr; k++) {
			struct span now;

			if (!bpf_map_lookup_elem(run->drain->spans, &p->list[k].key, &now) &&
				now.since == p->list[k].created.since)
				p->list[kept++] = p->list[k];
		}
	}
	p->nr = kept;
}

static void add_open(struct tool_run *run, uint64_t now_ns)
{
	uint64_t min_age_ns = run->settings->option[POOLS_OPTION_MIN_AGE] * 1000000000;
	const struct open_pools *p = run->data;

	for (size_t i = 0; i < p->nr; i++) {
		const struct open_pool *pool = &p->list[i];
		uint64_t age_ns = ages_of(&pool->created, now_ns);
		struct row_key row = pool->created.row;

		if (age_ns < min_age_ns)
			continue;
		row.state = ages_state(age_ns);
		drain_add(run->drain, &row, 1, 1);
		row.event = ROW_BYTES;
		drain_add(run->drain, &row, 1, pool->bytes);
	}
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct open_pools *p = run->data;

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

const struct bpf_tool pools_tool = {
	.program = "pools",
	.object = &pools_object,
	.plain_object = &pools_plain_object,
	.begin = begin,
	.ended = ended,
	.stop = stop,
	.stopped = stopped,
	.add_open = add_open,
	.note = note,
	.release = release,
};
