/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_workers.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "label/nginx/nginx_find.h"
#include "process/descendants.h"
#include "process/inspect.h"
#include "process/reader.h"
#include "process/task.h"
#include "symbol/elf/elffacts.h"
#include "symbol/elf/elffile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of ngx_process (ngx_process_cycle.h). */
enum { PROCESS_SINGLE = 0, PROCESS_WORKER = 3 };

static const char kind[] = "ngx_process";

uint64_t nginx_worker_word(const struct nginx_worker *w, const char *name, uint64_t otherwise)
{
	uint64_t at = target_symbol(nginx_file(&w->target), name), word;

	return at && memory_pointer(&w->target.memory, at, &word) ? word : otherwise;
}

/*
 * Adds process PID if it is a worker. Returns 1 if it is not a worker, and -1 with ERR if it is
 * nginx but cannot be read.
 */
static int add_worker(struct nginx_workers *w, uint32_t pid, struct strbuf *err)
{
	const struct process *p = processes_known(&w->ps, pid);
	struct nginx_worker *worker = &w->list[w->nr];
	int found;

	if (!p || !p->generation)
		return 1;
	*worker = (struct nginx_worker){.pid = pid, .started = task_start(pid, pid)};
	inspect_init(&worker->target, &w->ps, p, NULL);
	found = nginx_find(&worker->target, &worker->layout, err);
	if (!found) {
		bool serves = worker->layout.state != NGINX_NO_WORKER;
		uint32_t process = (uint32_t)nginx_worker_word(
			worker, kind, serves ? PROCESS_WORKER : PROCESS_SINGLE);

		if (serves && (process == PROCESS_WORKER || process == PROCESS_SINGLE)) {
			w->nr++;
			return 0;
		}
		w->is_settled &= process != PROCESS_WORKER;
	}
	inspect_release(&worker->target);
	if (found < 0 && !task_lives(pid, worker->started)) {
		strbuf_reset(err);
		return 1;
	}
	return found < 0 ? -1 : 1;
}

static void ask(const struct nginx_workers *w, const char *const *names, size_t nr)
{
	struct elf_question *list = xcalloc(nr + 1, sizeof(*list));
	const struct target_file *file = nginx_file(&w->list[0].target);

	for (size_t i = 0; i < nr; i++)
		list[i] = (struct elf_question){file->elf, FACT_VARIABLE, names[i], 0, NULL};
	elffacts_ask(list, nr);
	free(list);
}

int nginx_workers_open(struct nginx_workers *w, uint32_t pid, const char *const *names, size_t nr,
	struct strbuf *err)
{
	struct process *process;
	int result;

	*w = (struct nginx_workers){.pid = pid, .is_settled = true};
	elffile_use_heads_only();
	processes_init(&w->ps);
	process = processes_get(&w->ps, pid);
	if (!process->generation) {
		process_scan(&w->ps, process, err);
		return fail(err, "; %s", task_refusal(pid));
	}
	w->children = descendants("/proc", &pid, 1, &w->nr_children);
	for (size_t i = 0; i < w->nr_children; i++)
		processes_get(&w->ps, w->children[i]);
	w->list = xcalloc(w->nr_children + 1, sizeof(*w->list));
	result = add_worker(w, pid, err);
	for (size_t i = 0; result > 0 && i < w->nr_children; i++)
		if (add_worker(w, w->children[i], err) < 0)
			result = -1;
	if (result < 0)
		return -1;
	if (!w->nr)
		return fail(err,
			"no worker of nginx in process %" PRIu32
			" or its children: give the PID of nginx's master or of a worker",
			pid);
	ask(w, names, nr);
	return 0;
}

void nginx_workers_close(struct nginx_workers *w)
{
	for (size_t i = 0; i < w->nr; i++)
		inspect_release(&w->list[i].target);
	free(w->list);
	free(w->children);
	processes_release(&w->ps);
	reader_end();
	*w = (struct nginx_workers){0};
}

bool nginx_workers_are_current(const struct nginx_workers *w)
{
	size_t nr;
	uint32_t *children = descendants("/proc", &w->pid, 1, &nr);
	bool same = w->is_settled && nr == w->nr_children &&
		    (!nr || !memcmp(children, w->children, nr * sizeof(*children)));

	free(children);
	for (size_t i = 0; same && i < w->nr; i++)
		same = task_lives(w->list[i].pid, w->list[i].started);
	return same;
}

const struct nginx_worker *nginx_workers_verified(const struct nginx_workers *w)
{
	const struct elffile *file = nginx_file(&w->list[0].target)->elf;

	for (size_t i = 0; i < w->nr; i++)
		if (w->list[i].layout.state == NGINX_VERIFIED &&
			nginx_file(&w->list[i].target)->elf == file)
			return &w->list[i];
	return &w->list[0];
}
