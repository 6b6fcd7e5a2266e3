/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What request_times.bpf.c and user space share. Times in ns are monotonic; addresses are those of
 * the process.
 */
#ifndef TOOL_REQUESTS_REQUEST_TIMES_H
#define TOOL_REQUESTS_REQUEST_TIMES_H

#include "label/nginx/nginx_layout.h"

enum {
	TIMES_SLOWEST_MAX = 256,    /* a power of two */
	TIMES_PROCESSES_MAX = 4096, /* that run the file, at a time */
	TIMES_WORKERS_MAX = 256,    /* that are distinguished at a time */
	TIMES_REQUESTS_MAX = 65536, /* that are served at a time */
	TIMES_VALUES_MAX = 4096,    /* texts */
	TIMES_ROWS_MAX = 131072,
	TIMES_TRIES = 8, /* of upstreams, for a request */
	TIMES_PEER_MAX = 60,
};

/* A connection of a worker, which has one request at a time. */
struct times_connection {
	uint64_t connection; /* address */
	uint32_t worker, unused;
};

/* Values of a key: numbers, hashes of texts, or these. */
enum { TIMES_NO_VALUE, TIMES_OTHER_VALUE };

/* Whether requests with a text as the value of `where` count. */
enum times_decision { TIMES_UNDECIDED, TIMES_LEFT_OUT, TIMES_MATCHES };

/* Set before the program is loaded. */
struct times_settings {
	uint32_t pid_ns;    /* as in struct settings */
	uint32_t by, where; /* enum nginx_key: text, status or worker; NGINX_KEYS: none */
	uint32_t slowest;   /* how many are listed; 0: none */
	uint32_t phases;    /* the programs for these are attached, too */
	uint32_t unused;
	uint64_t least_ns;    /* of the slowest */
	uint64_t cached_time; /* address of the pointer ngx_cached_time; 0: not known */
};

/* May change while the programs run. */
struct times_control {
	uint64_t from_ns, until_ns; /* requests that end then count */
	int64_t before_ms;          /* since 1970, of a moment after from_ns */
	uint32_t root, unused;      /* PID whose descendants count, and itself; 0: it has ended */
	struct nginx_layout layout;
};

/* What was not counted. */
struct times_losses {
	uint64_t requests; /* their start is not known, or there was no room */
	uint64_t slow;     /* counted, but not sent as one of the slowest */
};

/* The requests in a bucket of their times, of one worker. */
struct times_key {
	uint64_t value, where; /* of the labels */
	uint32_t worker;       /* PID in our namespace */
	uint32_t bucket;       /* as log_scale_bucket() of ns */
};

struct times_row {
	uint64_t count, sum_ns, min_ns, max_ns;
	uint64_t by_clock; /* of these, began before the probes were set: times in whole ms */
};

/* Whose slowest requests are known. All that match count together, by worker. */
struct times_slowest_key {
	uint64_t where; /* a value that is not decided on; TIMES_NO_VALUE: it matches */
	uint32_t worker, unused;
};

enum times_record_kind { TIMES_TEXT = 1, TIMES_REQUEST };

/* A text when it is seen first. */
struct times_text {
	uint64_t kind, value;
	struct nginx_text text;
};

/* One upstream that was asked (ngx_http_upstream_state_t); times in ms, -1: there is none. */
struct times_try {
	int64_t response, connect, header;
	uint32_t peer_len;
	char peer[TIMES_PEER_MAX];
};

/* One of the slowest. */
struct times_request {
	uint64_t kind;
	uint64_t request_ns;                     /* how long it took */
	uint64_t end_ns;                         /* when it ended */
	uint64_t head_ns, content_ns, answer_ns; /* when it got there; 0: not known */
	uint64_t busy_ns;                        /* how long its worker worked for it */
	int64_t start_ms, log_ms; /* by nginx's clock: since 1970; time as $request_time, -1: not
				     known */
	int64_t sent;
	uint32_t worker, status;
	uint32_t by_clock; /* request_ns is by nginx's clock */
	uint32_t nr_tries; /* of which TIMES_TRIES are there */
	struct times_try tries[TIMES_TRIES];
	struct nginx_text text[NGINX_TEXTS];
};

#endif
