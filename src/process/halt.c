/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "halt.h"
#include "lib/util.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { THREADS_MAX = 65536, LATE_NS = 1000000000 };

static bool is_known(const struct halt *h, uint32_t tid)
{
	for (size_t i = 0; i < h->nr; i++)
		if (h->threads[i].tid == tid)
			return true;
	return false;
}

static bool seize(struct halt *h, uint32_t tid)
{
	if (h->nr == THREADS_MAX)
		return false;
	if (ptrace(PTRACE_SEIZE, (pid_t)tid, NULL, NULL))
		return errno == ESRCH;
	ALLOC_GROW(h->threads, h->nr, h->alloc);
	h->threads[h->nr++] = (struct halted_thread){.tid = tid};
	return !ptrace(PTRACE_INTERRUPT, (pid_t)tid, NULL, NULL) || errno == ESRCH;
}

/* Seizes the threads that are not known yet. *NR is their number. */
static bool seize_new(struct halt *h, uint32_t pid, size_t *nr)
{
	char path[32];
	size_t before = h->nr;
	bool ok = true;
	struct dirent *entry;
	uint64_t tid;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (ok && (entry = readdir(dir)))
		if (parse_u64(entry->d_name, strlen(entry->d_name), 10, &tid) && tid <= INT32_MAX &&
			!is_known(h, (uint32_t)tid))
			ok = seize(h, (uint32_t)tid);
	closedir(dir);
	*nr = h->nr - before;
	return ok;
}

/* Returns false if the thread has not stopped yet. */
static bool has_stopped(struct halted_thread *t)
{
	int status;
	pid_t found;

	if (t->is_stopped || !t->tid)
		return true;
	found = waitpid((pid_t)t->tid, &status, WNOHANG | __WALL);
	if (!found)
		return false;
	if (found < 0 || !WIFSTOPPED(status)) {
		t->tid = 0; /* it has ended */
		return true;
	}
	t->is_stopped = true;
	/* a signal was about to be delivered */
	if (!(status >> 16))
		t->signal = WSTOPSIG(status);
	return true;
}

static bool wait_for_all(struct halt *h, int64_t until_ns)
{
	for (size_t i = 0; i < h->nr;)
		if (has_stopped(&h->threads[i]))
			i++;
		else if (monotonic_ns() >= until_ns)
			return false;
		else
			sched_yield();
	return true;
}

bool halt_begin(struct halt *h, uint32_t pid, int64_t until_ns)
{
	size_t nr;

	*h = (struct halt){.began_ns = monotonic_ns()};
	do {
		if (!seize_new(h, pid, &nr) || !wait_for_all(h, until_ns))
			return false;
	} while (nr);
	return h->nr;
}

int64_t halt_end(struct halt *h)
{
	int64_t took = 0;

	for (size_t i = 0; i < h->nr; i++) {
		const struct halted_thread *t = &h->threads[i];

		if (t->is_stopped)
			ptrace(PTRACE_DETACH, (pid_t)t->tid, NULL, (void *)(intptr_t)t->signal);
	}
	if (h->nr)
		took = monotonic_ns() - h->began_ns;
	/* threads that stop late must not stay stopped until this program ends */
	for (size_t i = 0; i < h->nr; i++) {
		struct halted_thread *t = &h->threads[i];

		if (t->is_stopped || !t->tid)
			continue;
		while (!has_stopped(t) && monotonic_ns() < h->began_ns + LATE_NS)
			sched_yield();
		if (t->is_stopped)
			ptrace(PTRACE_DETACH, (pid_t)t->tid, NULL, (void *)(intptr_t)t->signal);
	}
	free(h->threads);
	*h = (struct halt){0};
	return took;
}
