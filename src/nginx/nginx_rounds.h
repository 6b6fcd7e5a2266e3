/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads again and again what all workers of nginx serve. */
#ifndef NGINX_NGINX_ROUNDS_H
#define NGINX_NGINX_ROUNDS_H

#include "nginx_serving.h"

/* Counters of all workers together. */
enum nginx_stat {
	NGINX_STAT_ACCEPTED,
	NGINX_STAT_HANDLED,
	NGINX_STAT_REQUESTS,
	NGINX_STAT_ACTIVE,
	NGINX_STAT_READING,
	NGINX_STAT_WRITING,
	NGINX_STAT_WAITING,
	NGINX_STATS,
};

struct nginx_rounds {
	uint32_t pid; /* the process that was given */
	double stop;  /* seconds for which workers are stopped at most, or 0 to let them run */

	struct nginx_workers workers;
	struct nginx_modules *modules; /* one per worker, as they may differ after a reload */
	/* the last round */
	struct nginx_serving *serving; /* one per worker */
	int64_t read_ns;               /* when it began, monotonic */
	int64_t now_ms;                /* when it began, since 1970 */
	struct nginx_stats {
		uint64_t value[NGINX_STATS];
		bool is_known[NGINX_STATS];
		int64_t at_ns;
	} now, before; /* at_ns is 0 if there was no reading */
	/* all rounds */
	bool is_partial;    /* a worker was not stopped all the time */
	int64_t stopped_ns; /* longest time for which a worker was stopped */
};

/* Finds the workers. Returns -1 with ERR if there are none. The caller closes R in any case. */
int nginx_rounds_open(struct nginx_rounds *r, struct strbuf *err);
void nginx_rounds_read(struct nginx_rounds *r, struct strbuf *notes);

/*
 * Finds the workers again if workers have begun or ended. Tries this for some time, because new
 * workers cannot be read until they are set up. STARTED is the start time of the process that was
 * given. Returns false if nginx has ended, if a signal came, or if ERR is set.
 */
bool nginx_rounds_renew(struct nginx_rounds *r, uint64_t started, struct strbuf *err);
void nginx_rounds_close(struct nginx_rounds *r);

#endif
