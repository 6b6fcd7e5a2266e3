/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jit_layouts.h"
#include "engine/jit/jit_find.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>

enum {
	RETRY_MS = 20, /* and twice as long each time */
	RETRIES = 12,  /* then only when the mappings change */
};

void jit_layouts_init(struct jit_layouts *j, struct processes *ps)
{
	*j = (struct jit_layouts){.ps = ps, .map = -1};
}

void jit_layouts_release(struct jit_layouts *j)
{
	free(j->entries);
	*j = (struct jit_layouts){0};
}

static void set_later(struct jit_layouts *j, struct jit_layouts_entry *entry, bool later)
{
	j->nr_later += (size_t)later - (size_t)entry->later;
	entry->later = later;
}

/* The entry of P; an earlier process that had the place has ended. */
static struct jit_layouts_entry *entry_of(struct jit_layouts *j, const struct process *p)
{
	size_t at = (size_t)(p - j->ps->list);

	if (at >= j->nr) {
		size_t nr = j->ps->alloc;

		j->entries = xrealloc(j->entries, nr, sizeof(*j->entries));
		memset(j->entries + j->nr, 0, (nr - j->nr) * sizeof(*j->entries));
		j->nr = nr;
	}
	struct jit_layouts_entry *entry = &j->entries[at];

	if (entry->id != p->id) {
		set_later(j, entry, false);
		*entry = (struct jit_layouts_entry){.id = p->id};
	}
	return entry;
}

static void look(struct jit_layouts *j, const struct process *p, struct jit_layouts_entry *entry)
{
	enum jit_found found = jit_find(j->ps, p, &entry->layout);

	entry->looked = true;
	entry->changes = p->changes;
	entry->looked_ns = monotonic_ns();
	entry->nr_looks = found == JIT_FOUND_LATER ? entry->nr_looks + 1 : 0;
	set_later(j, entry, found == JIT_FOUND_LATER && entry->nr_looks < RETRIES);
}

const struct jit_layout *jit_layouts_of(struct jit_layouts *j, const struct process *p)
{
	struct jit_layouts_entry *entry = entry_of(j, p);

	if (!p->gone && (!entry->looked || entry->changes != p->changes))
		look(j, p, entry);
	return entry->layout.kind == JIT_BY_CODE ? NULL : &entry->layout;
}

void jit_layouts_publish(struct jit_layouts *j, const struct process *p)
{
	const struct jit_layout *layout = jit_layouts_of(j, p);

	if (!layout || bpf_map_update_elem(j->map, &p->pid, layout, BPF_ANY))
		bpf_map_delete_elem(j->map, &p->pid);
}

void jit_layouts_remove(struct jit_layouts *j, const struct process *p)
{
	struct jit_layouts_entry *entry = entry_of(j, p);

	if (j->map >= 0)
		bpf_map_delete_elem(j->map, &p->pid);
	set_later(j, entry, false);
	entry->looked = false;
	entry->nr_looks = 0;
}

bool jit_layouts_retry(struct jit_layouts *j, const struct process *p)
{
	struct jit_layouts_entry *entry = entry_of(j, p);
	int64_t since_ns = monotonic_ns() - entry->looked_ns;

	if (!entry->later || since_ns >> entry->nr_looks < RETRY_MS * 1000000LL)
		return false;
	look(j, p, entry);
	return entry->layout.kind != JIT_BY_CODE;
}
