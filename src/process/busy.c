/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "busy.h"
#include "lib/table.h"
#include "lib/util.h"
#include "task.h"

#include <stdlib.h>
#include <unistd.h>

struct usage {
	uint32_t pid;
	uint64_t ticks; /* user and kernel time */
};

struct usages {
	struct usage *list;
	size_t nr, alloc;
};

static void read_usages(struct usages *u)
{
	size_t nr;
	uint32_t *pids = task_programs(&nr);

	for (size_t i = 0; i < nr; i++) {
		ALLOC_GROW(u->list, u->nr, u->alloc);
		u->list[u->nr++] = (struct usage){pids[i], task_ticks(pids[i])};
	}
	free(pids);
}

static int compare_usage(const void *va, const void *vb)
{
	const struct usage *a = va, *b = vb;

	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

uint32_t *busy_since_start(size_t *nr)
{
	struct usages all = {0};

	read_usages(&all);
	if (all.nr)
		qsort(all.list, all.nr, sizeof(*all.list), compare_usage);
	uint32_t *pids = xcalloc(all.nr + 1, sizeof(*pids));

	for (size_t i = 0; i < all.nr; i++)
		pids[i] = all.list[i].pid;
	*nr = all.nr;
	free(all.list);
	return pids;
}

size_t busy_processes(uint32_t *pids, size_t max)
{
	struct usages before = {0}, now = {0};
	struct table at;
	bool is_new;
	size_t nr = 0;

	table_init(&at);
	read_usages(&before);
	for (size_t i = 0; i < before.nr; i++)
		*table_put(&at, before.list[i].pid, 0, &is_new) = (uint32_t)i;
	usleep(250000);
	read_usages(&now);
	for (size_t i = 0; i < now.nr; i++) {
		const uint32_t *old = table_get(&at, now.list[i].pid, 0);

		if (old && before.list[*old].ticks <= now.list[i].ticks)
			now.list[i].ticks -= before.list[*old].ticks;
	}
	if (now.nr)
		qsort(now.list, now.nr, sizeof(*now.list), compare_usage);
	while (nr < max && nr < now.nr && now.list[nr].ticks) {
		pids[nr] = now.list[nr].pid;
		nr++;
	}
	table_release(&at);
	free(before.list);
	free(now.list);
	return nr;
}
