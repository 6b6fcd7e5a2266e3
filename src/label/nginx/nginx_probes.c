/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_probes.h"
#include "nginx_find.h"
#include "symbol/probe_place.h"

enum { CODE_BYTES = 128 };

static const struct mapping *find_mapping(struct nginx_workers *w, uint32_t pid, uint64_t address)
{
	const struct process *p = processes_known(&w->ps, pid);

	for (size_t i = 0; p && i < p->nr_maps; i++) {
		const struct mapping *m = &w->ps.maps[p->maps[i]];

		if (address >= m->start && address < m->end)
			return m;
	}
	return NULL;
}

bool nginx_probe_find(struct nginx_workers *w, const char *function, struct nginx_probe *probe)
{
	struct nginx_worker *worker = &w->list[0];
	uint64_t at = target_symbol(nginx_file(&worker->target), function);
	const struct mapping *m = at ? find_mapping(w, worker->pid, at) : NULL;
	unsigned char code[CODE_BYTES];
	size_t nr = sizeof(code);

	if (!m)
		return false;
	if (m->end - at < nr)
		nr = m->end - at;
	if (memory_read(&worker->target.memory, at, code, nr))
		at += probe_place(code, nr);
	*probe = (struct nginx_probe){m->start, m->end, m->offset + (at - m->start)};
	return true;
}
