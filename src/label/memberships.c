/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memberships.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/recording.h"
#include "process/task.h"

#include <stdlib.h>
#include <string.h>

enum {
	MEMBERSHIPS_MAX = 1 << 18, /* later processes have no labels */
	FRESH_NS = 100000000,      /* what was read so recently is not read again */
};

static const struct facet_ops ops;

const char *const membership_keys[NR_MEMBERSHIPS] = {MEMBERSHIP_LIST(MEMBERSHIP_TEXT)};

#define MEMBERSHIP_LABEL(name) &name##_label,
static const struct membership_label *const labels[] = {MEMBERSHIP_LIST(MEMBERSHIP_LABEL)};
#undef MEMBERSHIP_LABEL

uint32_t membership_bit(const char *name, size_t len)
{
	for (uint32_t i = 0; i < NR_MEMBERSHIPS; i++)
		if (strlen(membership_keys[i]) == len && !memcmp(membership_keys[i], name, len))
			return 1u << i;
	return 0;
}

void memberships_init(struct memberships *m, const char *proc, uint32_t selected)
{
	*m = (struct memberships){.proc = selected ? proc : NULL, .selected = selected, .nr = 1};
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

/* Returns the new process PID, which started at START, or NULL if there is no room for it. */
static struct membership *add(struct memberships *m, uint32_t pid, uint64_t start)
{
	struct membership *known = newest(m, pid);
	bool is_new;

	if (m->nr == MEMBERSHIPS_MAX) {
		m->is_full = true;
		return NULL;
	}
	uint32_t *at = table_put(&m->by_pid, pid, 0, &is_new);

	if (known && known->until > start)
		known->until = start;
	ALLOC_GROW(m->list, m->nr, m->alloc);
	m->list[m->nr] = (struct membership){.start = start, .pid = pid, .older = *at};
	*at = (uint32_t)m->nr;
	return &m->list[m->nr++];
}

/* Reads the labels of the bits WHICH. */
static void read_labels(struct memberships *m, struct membership *of, uint32_t which)
{
	char *(*read)(const char *proc, uint32_t pid) = NULL;
	char *text = NULL;

	of->read_ns = monotonic_ns();
	for (int i = 0; i < NR_MEMBERSHIPS; i++) {
		size_t len;

		if (!(which & 1u << i))
			continue;
		if (read != labels[i]->read) {
			read = labels[i]->read;
			free(text);
			text = read(m->proc, of->pid);
		}
		const char *value = text ? labels[i]->value(text, &len) : NULL;

		if (text)
			of->values[i] = value ? strpool_add(&m->strings, value, len) : 0;
	}
	free(text);
}

/* Reads the labels of a process that is new or executes another program. */
static void take(struct memberships *m, uint32_t pid)
{
	uint64_t start = task_start(pid, pid);
	struct membership *known = newest(m, pid);

	if (!start)
		return;
	if (!known || known->start != start)
		known = add(m, pid, start);
	if (!known)
		return;
	known->until = UINT64_MAX;
	read_labels(m, known, m->selected);
}

/* Reads labels that may have changed again if the newest process of this number runs. */
static void refresh(struct memberships *m, struct membership *known)
{
	uint32_t which = 0;

	for (int i = 0; i < NR_MEMBERSHIPS; i++)
		which |= labels[i]->changes ? 1u << i : 0;
	which &= m->selected;
	if (which && known->until == UINT64_MAX && known->read_ns + FRESH_NS < monotonic_ns() &&
		known->start == task_start(known->pid, known->pid))
		read_labels(m, known, which);
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
	const struct membership *known = m->proc && m->late ? newest(m, pid) : NULL;

	if (m->proc && (!m->late || (known && known->until == UINT64_MAX)))
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

const struct membership *memberships_of(struct memberships *m, uint32_t pid, uint64_t start)
{
	struct membership *known;

	if (!m->proc)
		return NULL;
	memberships_see(m, pid);
	known = newest(m, pid);
	if (known)
		refresh(m, known);
	while (known && start && known->start > start + 1) /* times are rounded */
		known = known->older ? &m->list[known->older] : NULL;
	if (known && start && known->until != UINT64_MAX && start + 1 >= known->until)
		return NULL;
	return known;
}

bool memberships_is_half_full(const struct memberships *m)
{
	return m->nr > MEMBERSHIPS_MAX / 2;
}

void memberships_sweep(struct memberships *m, const struct rec_task *tasks, size_t nr_tasks)
{
	struct table used;
	bool is_new;
	size_t nr = 1;

	table_init(&used);
	for (size_t i = 0; i < nr_tasks; i++)
		table_put(&used, tasks[i].pid, 0, &is_new);
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

static void note(const struct facet *f, struct strbuf *notes)
{
	const struct memberships *m = (const struct memberships *)f;

	if (!m->is_full)
		return;
	strbuf_addf(notes, "more than %d processes: samples of some do not have the labels",
		MEMBERSHIPS_MAX);
	for (int i = 0; i < NR_MEMBERSHIPS; i++)
		strbuf_addf(notes, "%s %s", i ? "," : "", membership_keys[i]);
	strbuf_addch(notes, '\n');
}

static const struct facet_ops ops = {
	.forked = forked,
	.executed = executed,
	.note = note,
};
