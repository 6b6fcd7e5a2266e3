/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of address spaces, as the kernel reports them for processes that may do anything. Each
 * five bytes are an event. The lists of mappings stay in order whatever happens. */
#include "fuzz.h"
#include "lib/util.h"
#include "process/jitmap.h"
#include "process/mappings.h"
#include "process/procfile.h"

#include <stdlib.h>
#include <unistd.h>

enum { PIDS = 4, FIRST_PID = 0x7f000001, OBJECTS = 6, PAGE_BITS = 12, EVENT = 5 };

/* ---- stubs: no file and no process is looked at ---- */

struct elffile *procfile_open(struct procfile *f, bool *differs)
{
	must(f->end > f->start);
	*differs = true;
	return NULL;
}

struct elffile *procfile_open_mapped(struct procfile *f)
{
	must(f->end > f->start);
	return NULL;
}

struct jitmap *jitmap_new(uint32_t pid)
{
	must(pid >= FIRST_PID);
	return pid % 2 ? malloc(1) : NULL;
}

void jitmap_free(struct jitmap *j)
{
	free(j);
}

void jitmap_open(struct jitmap *j)
{
	must(j);
}

void jitmap_end(struct jitmap *j)
{
	must(j);
}

bool jitmap_found(const struct jitmap *j)
{
	return j;
}

int jitmap_take(struct jitmap *j)
{
	must(j);
	return -1;
}

/* ---- invariants ---- */

static void check_number(const struct processes *ps, bool *seen, uint32_t number)
{
	must(number < ps->nr_maps && !seen[number]);
	seen[number] = true;
}

static void check_process(const struct processes *ps, const struct process *p, bool *seen)
{
	uint64_t end = 0, pages = 0;
	int64_t to_ns = 0;

	for (size_t i = 0; i < p->nr_maps; i++) {
		const struct mapping *m = &ps->maps[p->maps[i]];

		check_number(ps, seen, p->maps[i]);
		must(m->pid == p->pid && m->start >= end && m->end > m->start);
		must((m->to_ns == INT64_MAX) == !p->gone);
		end = m->end;
		pages += mappings_exec_pages(m);
	}
	must(p->gone || pages == p->exec_pages);
	for (size_t i = 0; i < p->nr_past; i++) {
		const struct mapping *m = &ps->maps[p->past[i]];

		check_number(ps, seen, p->past[i]);
		must(m->pid == p->pid && m->to_ns >= to_ns && m->to_ns >= m->from_ns);
		to_ns = m->to_ns;
	}
}

static void check(const struct processes *ps)
{
	bool *seen = xcalloc(ps->nr_maps + 1, sizeof(*seen));

	for (size_t i = 0; i < ps->nr; i++)
		check_process(ps, &ps->list[i], seen);
	for (size_t i = 0; i < ps->nr_free; i++) {
		check_number(ps, seen, ps->free[i]);
		must(!ps->maps[ps->free[i]].end);
	}
	free(seen);
}

static void look_up(struct processes *ps, uint32_t pid, int64_t time_ns)
{
	const struct process *p = processes_get(ps, pid);
	/* after its end, a process has the mappings that it had last */
	int64_t held_ns = p->gone && time_ns >= p->gone_ns ? p->gone_ns - 1 : time_ns;

	for (uint64_t at = 0; at < 300; at++) {
		uint64_t address = at << PAGE_BITS;
		const struct mapping *m = process_find_at(ps, p, address, time_ns);

		must(!m || (m->start <= address && address < m->end && m->pid == pid));
		must(!m || (m->from_ns <= held_ns && held_ns < m->to_ns));
		m = process_find(ps, p, address);
		must(!m || (m->start <= address && address < m->end && m->pid == pid));
	}
}

/* ---- events ---- */

static void map(struct processes *ps, uint32_t pid, const uint8_t *event, int64_t time_ns)
{
	static const char *const paths[OBJECTS] = {
		"/usr/lib/one", "/usr/lib/two", "/tmp/x (deleted)", "", "[vdso]", "//anon"};
	unsigned object = event[1] / PIDS % OBJECTS;
	uint64_t start = (uint64_t)event[2] << PAGE_BITS;
	struct mapped m = {
		.start = start,
		.end = start + ((1 + (uint64_t)event[3] % 32) << PAGE_BITS),
		.offset = (uint64_t)(event[3] / 32) << PAGE_BITS,
		.writable = event[1] & 0x80,
		.path = paths[object],
		.build_id = object ? "" : "0123456789abcdef",
		.dev = 1,
		.inode = object,
	};

	struct process *p = processes_get(ps, pid);

	if (!p->gone)
		process_mapped(ps, p, &m, time_ns);
}

/* Marks some of the mappings as having samples. */
static void sweep(struct processes *ps, unsigned bits, int64_t time_ns)
{
	bool *used = xcalloc(ps->nr_maps + 1, sizeof(*used));

	for (size_t i = 0; i < ps->nr_maps; i++)
		used[i] = bits >> i % 8 & 1;
	processes_sweep(ps, used, time_ns);
	free(used);
}

static void take_event(struct processes *ps, const uint8_t *event, int64_t time_ns)
{
	uint32_t pid = FIRST_PID + event[1] % PIDS, other = FIRST_PID + event[2] % PIDS;
	struct process *p = processes_known(ps, pid);

	switch (event[0] % 8) {
	case 0:
		if (p)
			process_executed(ps, p, time_ns);
		break;
	case 1:
		if (pid != other)
			processes_forked(ps, pid, other, time_ns);
		break;
	case 2:
		if (p)
			process_ended(ps, p, time_ns);
		break;
	case 3:
		sweep(ps, event[2], time_ns - event[3]);
		break;
	case 4: /* a scan that found the same */
		if (p)
			p->scanned_ns = time_ns + event[2] % 8;
		break;
	case 5:
		look_up(ps, pid, time_ns - event[2] % 16);
		break;
	default:
		map(ps, pid, event, time_ns);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t time_ns = 1000;
	struct processes ps;

	processes_init(&ps);
	for (; size >= EVENT; data += EVENT, size -= EVENT) {
		size_t nr = ps.nr;

		time_ns += data[4] % 4;
		take_event(&ps, data, time_ns);
		/* a new process was scanned at the real time, but time is counted from 0 here */
		for (; nr < ps.nr; nr++)
			ps.list[nr].scanned_ns = time_ns - data[4] / 64;
		ps.nr_changed = 0;
		check(&ps);
	}
	processes_release(&ps);
	return 0;
}
