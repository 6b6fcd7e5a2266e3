/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nginx_rounds.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "nginx_stopped.h"
#include "process/reader.h"
#include "process/task.h"

#include <stdlib.h>
#include <time.h>

enum { RENEW_STEP_NS = 20000000 };
#define RENEW_NS 2000000000LL

/*
 * Each symbol points to its counter in memory that the workers share (ngx_event.h,
 * ngx_connection.h).
 */
static const char *const counters[NGINX_STATS] = {
	"ngx_stat_accepted",
	"ngx_stat_handled",
	"ngx_stat_requests",
	"ngx_stat_active",
	"ngx_stat_reading",
	"ngx_stat_writing",
	"ngx_stat_waiting",
};

static void read_counters(struct nginx_rounds *r)
{
	const struct nginx_worker *w = &r->workers.list[0];

	r->before = r->now;
	r->now = (struct nginx_stats){.at_ns = monotonic_ns()};
	for (int i = 0; i < NGINX_STATS; i++) {
		uint64_t at = nginx_worker_word(w, counters[i], 0);

		r->now.is_known[i] = at && memory_pointer(&w->target.memory, at, &r->now.value[i]);
	}
}

static void read_stopped(struct nginx_rounds *r, size_t worker, struct strbuf *notes)
{
	int64_t stopped_ns;

	r->is_partial |= !nginx_serving_read_stopped(&r->workers.list[worker], &r->modules[worker],
		r->stop, &r->serving[worker], &stopped_ns, notes);
	if (stopped_ns > r->stopped_ns)
		r->stopped_ns = stopped_ns;
}

static void release_round(struct nginx_rounds *r)
{
	for (size_t i = 0; r->serving && i < r->workers.nr; i++)
		nginx_serving_release(&r->serving[i]);
	free(r->serving);
	r->serving = NULL;
}

void nginx_rounds_close(struct nginx_rounds *r)
{
	release_round(r);
	for (size_t i = 0; r->modules && i < r->workers.nr; i++)
		nginx_modules_release(&r->modules[i]);
	free(r->modules);
	r->modules = NULL;
	nginx_workers_close(&r->workers);
}

int nginx_rounds_open(struct nginx_rounds *r, struct strbuf *err)
{
	static const char *const serving[] = {NGINX_SERVING_SYMBOLS};
	const char *names[NGINX_STATS + ARRAY_LEN(serving)];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		names[i] = i < NGINX_STATS ? counters[i] : serving[i - NGINX_STATS];
	if (nginx_workers_open(&r->workers, r->pid, names, ARRAY_LEN(names), err))
		return -1;
	r->modules = xcalloc(r->workers.nr, sizeof(*r->modules));
	for (size_t i = 0; i < r->workers.nr; i++) {
		const struct nginx_worker *w = &r->workers.list[i];

		any |= nginx_modules_read(&w->layout, &w->target, &r->modules[i]);
	}
	return any ? 0 : nginx_modules_refuse(r->workers.list[0].pid, err);
}

void nginx_rounds_read(struct nginx_rounds *r, struct strbuf *notes)
{
	release_round(r);
	reader_forgive();
	r->serving = xcalloc(r->workers.nr, sizeof(*r->serving));
	r->read_ns = monotonic_ns();
	r->now_ms = realtime_ms();
	read_counters(r);
	for (size_t i = 0; i < r->workers.nr; i++)
		if (r->stop > 0)
			read_stopped(r, i, notes);
		else
			nginx_serving_read(&r->workers.list[i], &r->modules[i], &r->serving[i]);
}

bool nginx_rounds_renew(struct nginx_rounds *r, uint64_t started, struct strbuf *err)
{
	const struct timespec pause = {0, RENEW_STEP_NS};
	int64_t until_ns = monotonic_ns() + RENEW_NS;

	if (nginx_workers_are_current(&r->workers))
		return true;
	for (;;) {
		nginx_rounds_close(r);
		strbuf_reset(err);
		if (!task_lives(r->pid, started) || program_is_stopped())
			return false;
		if (!nginx_rounds_open(r, err))
			return true;
		if (monotonic_ns() >= until_ns)
			return false;
		nanosleep(&pause, NULL);
	}
}
