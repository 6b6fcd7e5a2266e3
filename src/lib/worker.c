/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "worker.h"
#include "lib/untrusted/child.h"
#include "lib/untrusted/sandbox.h"
#include "lib/util.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	AT_ONCE = 8,          /* limit of workers that run at once */
	ANSWER_MAX = 1 << 26, /* bytes */
	FILE_MAX = 1 << 30,   /* limit of bytes in a file */
	READ_SIZE = 1 << 16,
	MEMORY_GIB = 4, /* private memory in addition to the parent's, without mapped files */
	LOOK_MS = 500,  /* between two checks whether the workers make progress */
};

/* Limit of the time without any work: longer than a stopped disk needs to start. */
static const int64_t stalled_ns = 10000000000;

static __attribute__((noreturn)) void serve(
	const struct worker *w, int to, pid_t parent, unsigned seconds)
{
	const struct sandbox sandbox = {
		.cpu_s = seconds,
		.memory = (uint64_t)MEMORY_GIB << 30,
		.file_size = FILE_MAX,
		.no_files = w->no_files,
	};
	struct strbuf output = STRBUF_INIT;

	/* Ctrl-C is for the parent; the child ends when the parent exits */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	if (w->open) {
		sandbox_mute(); /* if open() never returns, no pipe must stay open */
		w->open(w->arg);
	}
	sandbox_enter(&sandbox);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	w->work(w->arg, &output);
	_exit(write_whole(to, output.buf, output.len) ? EXIT_FAILED : EXIT_OK);
}

static void start(struct worker *w, unsigned seconds, int64_t until_ns)
{
	int64_t own_until_ns = monotonic_ns() + seconds * 1000000000LL;
	pid_t parent = getpid();
	int ends[2];

	strbuf_reset(&w->output);
	w->end = WORKER_NONE;
	w->stalled = false;
	w->from = -1;
	if (w->prepare && !w->prepare(w->arg)) {
		w->work(w->arg, &w->output);
		w->end = WORKER_DONE;
		return;
	}
	if (pipe2(ends, O_CLOEXEC))
		return;
	w->pid = fork();
	if (!w->pid) {
		close(ends[0]);
		serve(w, ends[1], parent, seconds);
	}
	close(ends[1]);
	if (w->pid < 0) {
		close(ends[0]);
		return;
	}
	w->from = ends[0];
	w->end = WORKER_CRASHED; /* until it exits with success */
	w->until_ns = own_until_ns < until_ns ? own_until_ns : until_ns;
	w->worked_ns = monotonic_ns();
	w->cpu_ns = 0;
}

const char *worker_failure(enum worker_end end)
{
	static const char *const failures[] = {
		[WORKER_NONE] = "cannot start a process",
		[WORKER_DONE] = "the reader's answer is not valid",
		[WORKER_CRASHED] = "the reader crashed",
		[WORKER_LATE] = "timeout",
		[WORKER_SIGNALLED] = "the reader was stopped or killed from outside",
	};

	return failures[end];
}

/* Ends a worker whose output is not needed any more. */
static void end(struct worker *w)
{
	int status;

	if (child_is_signalled(w->pid))
		w->end = WORKER_SIGNALLED;
	close(w->from);
	w->from = -1;
	child_end(w->pid, &status);
}

/* Gets the status of a worker that has closed its end of the pipe. */
static void reap(struct worker *w)
{
	int status = 0;

	close(w->from);
	w->from = -1;
	child_await(w->pid);
	bool signalled = child_is_signalled(w->pid);

	/* kills it, in case it closed the pipe without exiting */
	if (!child_end(w->pid, &status))
		w->end = WORKER_LATE;
	else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_OK)
		w->end = WORKER_DONE;
	else if (signalled)
		w->end = WORKER_SIGNALLED;
	else if (WIFSIGNALED(status) &&
		 (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
		w->end = WORKER_LATE;
}

static void take(struct worker *w)
{
	w->worked_ns = monotonic_ns();
	strbuf_grow(&w->output, READ_SIZE);
	ssize_t n = read(w->from, w->output.buf + w->output.len, READ_SIZE);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n > 0)
		w->output.len += (size_t)n;
	w->output.buf[w->output.len] = '\0';
	if (n <= 0)
		reap(w);
	else if (w->output.len > (w->answer_max ? w->answer_max : ANSWER_MAX))
		end(w);
}

/*
 * Returns true if a worker has neither used nor waited for a processor for long: a file does not
 * answer.
 */
static bool is_stalled(struct worker *w, int64_t now)
{
	int64_t cpu_ns = child_cpu_ns(w->pid);

	if (cpu_ns != w->cpu_ns || child_state(w->pid) == 'R')
		w->worked_ns = now;
	w->cpu_ns = cpu_ns;
	w->stalled = now - w->worked_ns > stalled_ns;
	return w->stalled;
}

/* Returns true if a worker has worked too long, or will not go on. */
static bool is_over(struct worker *w, int64_t now)
{
	return now >= w->until_ns || is_stalled(w, now) || child_is_signalled(w->pid);
}

/* Waits for output or for the next timeout. */
static void wait_for(struct worker **running, size_t nr)
{
	struct pollfd fds[AT_ONCE];
	int64_t now = monotonic_ns(), until = INT64_MAX;

	for (size_t i = 0; i < nr; i++) {
		fds[i] = (struct pollfd){.fd = running[i]->from, .events = POLLIN};
		if (running[i]->until_ns < until)
			until = running[i]->until_ns;
	}
	int wait_ms = until > now ? (int)((until - now) / 1000000) + 1 : 0;

	if (wait_ms > LOOK_MS)
		wait_ms = LOOK_MS;
	if (poll(fds, nr, wait_ms) > 0)
		for (size_t i = 0; i < nr; i++)
			if (fds[i].revents)
				take(running[i]);
	now = monotonic_ns();
	for (size_t i = 0; i < nr; i++)
		if (running[i]->from >= 0 && is_over(running[i], now)) {
			running[i]->end = WORKER_LATE;
			end(running[i]);
		}
}

static void finish(struct worker *w)
{
	if (w->finish)
		w->finish(w);
}

void workers_run(struct worker *list, size_t nr, unsigned seconds)
{
	workers_run_until(list, nr, seconds, INT64_MAX);
}

void workers_run_until(struct worker *list, size_t nr, unsigned seconds, int64_t until_ns)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t most = processors < 1 ? 1 : processors > AT_ONCE ? AT_ONCE : (size_t)processors;
	struct worker *running[AT_ONCE];
	size_t nr_running = 0, next = 0;

	while (next < nr || nr_running) {
		while (next < nr && nr_running < most) {
			struct worker *w = &list[next++];

			if (monotonic_ns() >= until_ns) {
				w->end = WORKER_LATE;
				continue;
			}
			start(w, seconds, until_ns);
			if (w->from >= 0)
				running[nr_running++] = w;
			else
				finish(w);
		}
		if (nr_running)
			wait_for(running, nr_running);
		for (size_t i = 0; i < nr_running;)
			if (running[i]->from < 0) {
				finish(running[i]);
				running[i] = running[--nr_running];
			} else {
				i++;
			}
	}
}
