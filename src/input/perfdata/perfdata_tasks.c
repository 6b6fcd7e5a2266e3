/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata_tasks.h"
#include "lib/search.h"
#include "lib/util.h"
#include "model/recording.h"

#include <stdlib.h>

void perfdata_tasks_init(struct perfdata_tasks *ts, struct recording *rec)
{
	*ts = (struct perfdata_tasks){.rec = rec};
	table_init(&ts->by_tid);
	table_init(&ts->by_pid);
}

static void drop_space(struct perfdata_space *space)
{
	if (!space || --space->refs)
		return;
	free(space->spans);
	free(space);
}

void perfdata_tasks_release(struct perfdata_tasks *ts)
{
	for (size_t i = 0; i < ts->nr_processes; i++)
		drop_space(ts->processes[i].space);
	free(ts->processes);
	free(ts->threads);
	table_release(&ts->by_tid);
	table_release(&ts->by_pid);
}

static struct perfdata_process *process_of(struct perfdata_tasks *ts, uint32_t pid)
{
	bool is_new;
	uint32_t *at = table_put(&ts->by_pid, pid, 0, &is_new);

	if (*at)
		return &ts->processes[*at - 1];
	ALLOC_GROW(ts->processes, ts->nr_processes, ts->processes_alloc);
	ts->processes[ts->nr_processes] = (struct perfdata_process){.pid = pid};
	*at = (uint32_t)++ts->nr_processes;
	return &ts->processes[*at - 1];
}

/* Returns the name of a thread that has no name in the file. */
static uint32_t comm_of(struct perfdata_tasks *ts, uint32_t tid)
{
	char *comm = tid ? xasprintf(":%d", (int)tid) : xstrdup("swapper");
	uint32_t string = recording_string(ts->rec, comm);

	free(comm);
	return string;
}

static struct perfdata_thread *add_thread(
	struct perfdata_tasks *ts, uint32_t pid, uint32_t tid, uint32_t comm)
{
	bool is_new;
	uint32_t *at = table_put(&ts->by_tid, tid, 0, &is_new);

	if (!*at) {
		ALLOC_GROW(ts->threads, ts->nr_threads, ts->threads_alloc);
		*at = (uint32_t)++ts->nr_threads;
		ts->threads[*at - 1].ended = true;
	}
	if (ts->threads[*at - 1].ended || ts->threads[*at - 1].pid != pid)
		process_of(ts, pid)->nr_threads++;
	ts->threads[*at - 1] = (struct perfdata_thread){.pid = pid, .tid = tid, .comm = comm};
	return &ts->threads[*at - 1];
}

/* Returns the thread, or NULL if it is not known. */
static struct perfdata_thread *find_thread(const struct perfdata_tasks *ts, uint32_t tid)
{
	const uint32_t *at = table_get(&ts->by_tid, tid, 0);

	return at && *at ? &ts->threads[*at - 1] : NULL;
}

static void end_process(struct perfdata_tasks *ts, uint32_t pid)
{
	struct perfdata_process *p = process_of(ts, pid);

	drop_space(p->space);
	p->space = NULL;
}

void perfdata_tasks_fork(
	struct perfdata_tasks *ts, uint32_t pid, uint32_t tid, uint32_t ppid, uint32_t ptid)
{
	const struct perfdata_thread *parent = find_thread(ts, ptid);
	uint32_t comm = parent ? parent->comm : comm_of(ts, tid);

	add_thread(ts, pid, tid, comm);
	if (pid == ppid || pid != tid)
		return;
	end_process(ts, pid);
	process_of(ts, pid); /* it may move the others */

	struct perfdata_space *space = process_of(ts, ppid)->space;

	if (space)
		space->refs++;
	process_of(ts, pid)->space = space;
}

void perfdata_tasks_exit(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid)
{
	struct perfdata_thread *t = find_thread(ts, tid);
	struct perfdata_process *p = process_of(ts, pid);

	if (!t || t->pid != pid || t->ended)
		return;
	t->ended = true; /* it keeps its name, as it may have samples until it is gone */
	if (p->nr_threads && !--p->nr_threads && !ts->keeps_ended)
		end_process(ts, pid);
}

/* After execve, mappings of the old program remain: the stack of execve itself is in them. */
void perfdata_tasks_comm(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid, uint32_t comm)
{
	struct perfdata_thread *t = find_thread(ts, tid);

	if (!t || t->pid != pid)
		t = add_thread(ts, pid, tid, comm);
	t->comm = comm;
	t->task = 0;
}

/* Returns the space of P, which no other process shares, to be changed. */
static struct perfdata_space *own_space(struct perfdata_tasks *ts, struct perfdata_process *p)
{
	struct perfdata_space *old = p->space;

	if (!old || old->refs > 1) {
		p->space = xcalloc(1, sizeof(*p->space));
		p->space->refs = 1;
		if (old) {
			p->space->nr = p->space->alloc = old->nr;
			p->space->spans = xcalloc(old->nr + 1, sizeof(*old->spans));
			memcpy(p->space->spans, old->spans, old->nr * sizeof(*old->spans));
			old->refs--;
		}
	}
	p->space->number = ++ts->nr_spaces;
	return p->space;
}

/* Returns the index of the first mapping that ends behind ADDRESS. */
static size_t first_behind(const struct perfdata_space *space, uint64_t address)
{
	return COUNT_UNTIL(space->spans, space->nr, end, address);
}

/* Puts SPAN in place of the mappings from FROM up to TO. */
static void replace(struct perfdata_space *space, size_t from, size_t to,
	const struct perfdata_span *list, size_t n)
{
	while (space->nr + n > space->alloc) {
		space->alloc = 2 * space->alloc + 16;
		space->spans = xrealloc(space->spans, space->alloc, sizeof(*space->spans));
	}
	memmove(space->spans + from + n, space->spans + to,
		(space->nr - to) * sizeof(*space->spans));
	memcpy(space->spans + from, list, n * sizeof(*list));
	space->nr += n;
	space->nr -= to - from;
}

void perfdata_tasks_map(struct perfdata_tasks *ts, uint32_t pid, const struct perfdata_span *span)
{
	struct perfdata_space *space = own_space(ts, process_of(ts, pid));
	size_t from = first_behind(space, span->start), to = from, n = 0;
	struct perfdata_span list[3];

	while (to < space->nr && space->spans[to].start < span->end)
		to++;
	if (from < to && space->spans[from].start < span->start) {
		list[n] = space->spans[from];
		list[n++].end = span->start;
	}
	list[n++] = *span;
	if (from < to && space->spans[to - 1].end > span->end) {
		list[n] = space->spans[to - 1];
		list[n].offset += span->end - list[n].start;
		list[n++].start = span->end;
	}
	replace(space, from, to, list, n);
}

/* Returns an ID, or 0 for the ID -1 of threads that are gone. */
static uint32_t id_of(uint32_t id)
{
	return id == UINT32_MAX ? 0 : id;
}

uint32_t perfdata_tasks_task(struct perfdata_tasks *ts, uint32_t pid, uint32_t tid)
{
	struct perfdata_thread *t = find_thread(ts, tid);

	if (!t || t->pid != pid) {
		const struct perfdata_thread *leader = find_thread(ts, pid);

		t = add_thread(ts, pid, tid, leader ? leader->comm : comm_of(ts, tid));
	}
	if (!t->task)
		t->task = 1 + recording_add_task(ts->rec, &(struct rec_task){.pid = id_of(pid),
								  .tid = id_of(tid),
								  .comm = t->comm});
	return t->task - 1;
}

const struct perfdata_space *perfdata_tasks_space(const struct perfdata_tasks *ts, uint32_t pid)
{
	const uint32_t *at = table_get(&ts->by_pid, pid, 0);

	return at && *at ? ts->processes[*at - 1].space : NULL;
}

const struct perfdata_span *perfdata_space_find(
	const struct perfdata_space *space, uint64_t address)
{
	size_t at = space ? first_behind(space, address) : 0;

	return space && at < space->nr && space->spans[at].start <= address ? &space->spans[at]
									    : NULL;
}
