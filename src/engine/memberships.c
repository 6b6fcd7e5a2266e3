/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memberships.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/cgroup.h"
#include "process/task.h"
#include "samples.h"

#include <stdlib.h>
#include <string.h>

enum { MEMBERSHIPS_MAX = 1 << 18 }; /* later processes have no labels */

static const struct facet_ops ops;

void memberships_init(struct memberships *m, const char *proc, const struct samples *samples)
{
	*m = (struct memberships){.proc = proc, .samples = samples, .nr = 1};
	facet_init(&m->facet, &ops, NULL, NULL);
	table_init(&m->by_pid);
	strpool_init(&m->strings);
	m->list = xcalloc(16, sizeof(*m->list));
	m->alloc = 16;
}

void memberships_release(struct memberships *m)
{
	free(m->list);
	table_release(&m->by_pid);
	strpool_release(&m->strings);
	facet_release(&m->facet);
	*m = (struct memberships){0};
}

/* Returns the newest process of this number, or NULL. */
static struct membership *newest(const struct memberships *m, uint32_t pid)
{
	const uint32_t *at = table_get(&m->by_pid, pid, 0);

	return at && *at ? &m->list[*at] : NULL;
}

/* Reads the cgroup of a process that is new or executes another program. */
static void take(struct memberships *m, uint32_t pid)
{
	uint64_t start = task_start(pid, pid);
	char *path = start ? cgroup_of(m->proc, pid) : NULL;
	struct membership *known = newest(m, pid);

	if (path && known && known->start == start) {
		known->until = UINT64_MAX;
		/* at its end a process belongs to the root of some hierarchies */
		if (strcmp(path, "/") != 0)
			known->path = strpool_adds(&m->strings, path);
	} else if (path && m->nr == MEMBERSHIPS_MAX) {
		m->is_full = true;
	} else if (path) {
		bool is_new;
		uint32_t *at = table_put(&m->by_pid, pid, 0, &is_new);

		if (known && known->until > start)
			known->until = start;
		ALLOC_GROW(m->list, m->nr, m->alloc);
		m->list[m->nr] = (struct membership){
			start, UINT64_MAX, pid, strpool_adds(&m->strings, path), *at};
		*at = (uint32_t)m->nr++;
	}
	free(path);
}

void memberships_see(struct memberships *m, uint32_t pid)
{
	const struct membership *known = m->proc ? newest(m, pid) : NULL;

	if (m->proc && (!known || known->until != UINT64_MAX))
		take(m, pid);
}

void memberships_forked(struct memberships *m, uint32_t pid, uint64_t start)
{
	struct membership *known = m->proc ? newest(m, pid) : NULL;

	/* this must not be the event of its own fork; times are rounded */
	if (known && known->start + 1 < start && start < known->until)
		known->until = start;
}

void memberships_executed(struct memberships *m, uint32_t pid)
{
	if (m->proc)
		take(m, pid);
}

void memberships_see_all(struct memberships *m, int64_t end_ns)
{
	size_t nr;
	uint32_t *pids = m->proc ? task_programs(&nr) : NULL;

	for (size_t i = 0; pids && i < nr && monotonic_ns() < end_ns; i++)
		memberships_see(m, pids[i]);
	free(pids);
}

const char *memberships_cgroup(struct memberships *m, uint32_t pid, uint64_t start)
{
	const struct membership *known;

	if (!m->proc)
		return NULL;
	memberships_see(m, pid);
	known = newest(m, pid);
	while (known && start && known->start > start + 1) /* times are rounded */
		known = known->older ? &m->list[known->older] : NULL;
	if (known && start && known->until != UINT64_MAX && start + 1 >= known->until)
		return NULL;
	return known ? strpool_get(&m->strings, known->path) : NULL;
}

bool memberships_is_half_full(const struct memberships *m)
{
	return m->nr > MEMBERSHIPS_MAX / 2;
}

void memberships_sweep(struct memberships *m)
{
	struct table used;
	bool is_new;
	size_t nr = 1;

	table_init(&used);
	for (size_t i = 0; i < m->samples->nr_tasks; i++)
		table_put(&used, m->samples->tasks[i].pid, 0, &is_new);
	table_release(&m->by_pid);
	table_init(&m->by_pid);
	for (size_t i = 1; i < m->nr; i++) {
		struct membership *kept = &m->list[nr];
		uint32_t *at;

		*kept = m->list[i];
		if (!table_get(&used, kept->pid, 0) && !task_lives(kept->pid, kept->start))
			continue;
		at = table_put(&m->by_pid, kept->pid, 0, &is_new);
		kept->older = *at;
		*at = (uint32_t)nr++;
	}
	m->nr = nr;
	table_release(&used);
}

static void forked(struct facet *f, uint32_t parent, uint32_t child, int64_t time_ns)
{
	struct memberships *m = (struct memberships *)f;

	(void)parent;
	memberships_forked(m, child, task_start_at(time_ns));
	if (m->forks)
		memberships_see(m, child);
}

static void executed(struct facet *f, uint32_t pid)
{
	memberships_executed((struct memberships *)f, pid);
}

/* Sweeps only if it must: memberships are read at the end, for the tasks of samples. */
static void sweep(struct facet *f)
{
	struct memberships *m = (struct memberships *)f;

	if (memberships_is_half_full(m))
		memberships_sweep(m);
}

static void note(const struct facet *f, struct strbuf *notes)
{
	const struct memberships *m = (const struct memberships *)f;

	if (m->is_full)
		strbuf_addf(notes,
			"more than %d processes: the cgroups of some are not known, their samples "
			"have no labels cgroup, unit and container\n",
			MEMBERSHIPS_MAX);
}

static const struct facet_ops ops = {
	.forked = forked,
	.executed = executed,
	.sweep = sweep,
	.note = note,
};

size_t memberships_labels(const char *path, struct membership_label list[MEMBERSHIP_LABELS])
{
	const char *container = cgroup_container(path), *unit;
	size_t nr = 0, len;

	if (!strcmp(path, "/"))
		return 0;
	list[nr++] = (struct membership_label){"cgroup", path, strlen(path)};
	unit = cgroup_unit(path, &len);
	if (unit)
		list[nr++] = (struct membership_label){"unit", unit, len};
	if (container)
		list[nr++] = (struct membership_label){"container", container, CONTAINER_ID_SHORT};
	return nr;
}
