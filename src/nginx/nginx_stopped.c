/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_stopped.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/halt.h"
#include "process/task.h"

#include <inttypes.h>

/* The memory of a worker, which is stopped until the time is over. */
struct stopped_worker {
	struct memory memory; /* the worker's memory, whether it is stopped or not */
	struct halt halt;
	int64_t until_ns;
	int64_t took_ns; /* 0 while it is stopped */
};

static void go_on(struct stopped_worker *s)
{
	if (!s->took_ns)
		s->took_ns = halt_end(&s->halt);
}

static bool read_stopped(void *context, uint64_t address, void *to, size_t len)
{
	struct stopped_worker *s = context;

	if (monotonic_ns() >= s->until_ns)
		go_on(s);
	return memory_read(&s->memory, address, to, len);
}

static bool scattered_stopped(
	void *context, const uint64_t *addresses, size_t nr, size_t size, void *to)
{
	struct stopped_worker *s = context;

	if (monotonic_ns() >= s->until_ns)
		go_on(s);
	return memory_scattered(&s->memory, addresses, nr, size, to);
}

bool nginx_serving_read_stopped(const struct nginx_worker *w, const struct nginx_modules *modules,
	double stop_s, struct nginx_serving *serving, int64_t *stopped_ns, struct strbuf *notes)
{
	struct nginx_worker copy = *w;
	struct stopped_worker s = {
		.memory = w->target.memory, .until_ns = monotonic_ns() + (int64_t)(stop_s * 1e9)};
	bool is_traceable = true, is_whole;

	copy.target.memory = (struct memory){
		.read = read_stopped, .scattered = scattered_stopped, .context = &s};
	if (!halt_begin(&s.halt, w->pid, s.until_ns)) {
		is_traceable = monotonic_ns() >= s.until_ns || !task_lives(w->pid, w->started);
		go_on(&s);
	}
	nginx_serving_read(&copy, modules, serving);
	is_whole = is_traceable && !s.took_ns && monotonic_ns() < s.until_ns;
	if (!is_traceable)
		strbuf_addf(notes,
			"worker %" PRIu32 " cannot be stopped: another program, such as gdb or "
			"strace, traces it, or you may not; it was read while it ran\n",
			w->pid);
	else if (!is_whole)
		strbuf_addf(notes,
			"worker %" PRIu32 " ran on before all of it was read: give --stop a longer "
			"time, at most 1s\n",
			w->pid);
	go_on(&s);
	*stopped_ns = s.took_ns;
	return is_whole;
}
