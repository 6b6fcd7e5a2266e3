/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "request_watch.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/task.h"

#include <time.h>

enum {
	POLL_NS = 100000000,
	TURN_NS = 100000000, /* how long the probes are set in each turn */
};
#define SWEEP_NS 5000000000LL

/*
 * With a share, removes the probes TURN_NS after they were set, and sets them again later, so that
 * turns take this share of the time. Returns when the next change is due.
 */
static uint64_t take_turns(struct request_watch *w, struct strbuf *err)
{
	struct request_timing *t = w->timing;
	uint64_t now = (uint64_t)monotonic_ns(), end = t->control.from_ns + TURN_NS,
		 next = w->turn_ns + (uint64_t)(TURN_NS * 100.0 / w->share);

	if (w->share >= 100)
		return UINT64_MAX;
	if (t->is_on && now >= end)
		request_timing_pause(t);
	if (t->is_on || now < next)
		return t->is_on ? end : next;
	w->turn_ns = now;
	return request_timing_resume(t, err) ? next : t->control.from_ns + TURN_NS;
}

/* Whether nginx still runs. START is the start time of the process that was given. */
static bool nginx_lives(struct request_watch *w, uint64_t start)
{
	if (!w->root_ended && !task_lives(w->pid, start)) {
		w->root_ended = true;
		request_timing_root_ended(w->timing);
	}
	return !w->root_ended || request_timing_any_lives(w->timing, w->pid);
}

static void sweep(struct request_watch *w)
{
	int64_t now = monotonic_ns();

	if (now - w->swept_ns < SWEEP_NS)
		return;
	request_timing_forget_ended(w->timing);
	w->swept_ns = now;
}

int request_watch(struct request_watch *w, struct strbuf *err)
{
	uint64_t start = task_start(w->pid, w->pid), began = w->timing->control.from_ns, now;

	w->turn_ns = began;
	while (!program_is_stopped() && (uint64_t)monotonic_ns() < w->timing->end_ns) {
		struct timespec time = {0, POLL_NS};
		uint64_t due;

		request_results_take(w->results, w->timing);
		sweep(w);
		if (!nginx_lives(w, start))
			break;
		due = take_turns(w, err);
		if (err->len)
			break;
		due = due < w->timing->end_ns ? due : w->timing->end_ns;
		now = (uint64_t)monotonic_ns();
		if (due < now + POLL_NS)
			time.tv_nsec = due > now ? (long)(due - now) : 0;
		nanosleep(&time, NULL);
	}
	if (err->len && !nginx_lives(w, start))
		strbuf_reset(err);
	request_timing_pause(w->timing);
	now = (uint64_t)monotonic_ns();
	w->covered = (double)w->timing->covered_ns / 1e9;
	w->elapsed = (double)((now < w->timing->end_ns ? now : w->timing->end_ns) - began) / 1e9;
	request_results_take(w->results, w->timing);
	request_results_sort(w->results);
	return err->len ? -1 : 0;
}
