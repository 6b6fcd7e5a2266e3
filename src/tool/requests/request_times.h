/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by request_times.bpf.c and user space. Times in ns are monotonic; addresses are in the
 * memory of the process.
 */
#ifndef TOOL_REQUESTS_REQUEST_TIMES_H
#define TOOL_REQUESTS_REQUEST_TIMES_H

#include "label/nginx/nginx_layout.h"

enum {
	TIMES_SLOWEST_MAX = 256,    /* a power of two */
	TIMES_PROCESSES_MAX = 4096, /* processes that run the file at a time */
	TIMES_WORKERS_MAX = 256,    /* workers that are distinguished at a time */
	TIMES_REQUESTS_MAX = 65536, /* requests that are served at a time */
	TIMES_VALUES_MAX = 4096,    /* texts */
	TIMES_ROWS_MAX = 131072,
	TIMES_TRIES = 8, /* attempts at upstreams that are kept for a request */
	TIMES_PEER_MAX = 60,
};

/* A connection of a worker. It has one request at a time. */
struct times_connection {
	uint64_t connection; /* address */
	uint32_t worker, unused;
};

/* Values of a key: numbers, hashes of texts, or one of these. */
enum { TIMES_NO_VALUE, TIMES_OTHER_VALUE };

/* Decisions on whether requests count that have a given text as the value of `where`. */
enum times_decision { TIMES_UNDECIDED, TIMES_LEFT_OUT, TIMES_MATCHES };

/* Set before the program is loaded. */
struct times_settings {
	uint32_t pid_ns;    /* as in struct settings */
	uint32_t by, where; /* enum nginx_key: text, status, worker, or NGINX_KEYS if unused */
	uint32_t slowest;   /* how many of the slowest requests are listed, or 0 */
	uint32_t phases;    /* also attach the programs that time the phases */
	uint32_t unused;
	uint64_t least_ns;    /* the slowest requests take at least as long */
	uint64_t cached_time; /* address of the pointer ngx_cached_time, or 0 if it is not known */
};

/* May be changed while the programs run. */
struct times_control {
	uint64_t from_ns, until_ns; /* requests that end in this range count */
	int64_t before_ms;          /* ms since 1970 of a moment after from_ns */
	uint32_t root, unused;      /* PID that counts with its descendants, or 0 if it has ended */
	struct nginx_layout layout;
};

/* Requests that were not counted or not listed. */
struct times_losses {
	uint64_t requests; /* their start was not known, or there was no room */
	uint64_t slow;     /* counted, but not sent as one of the slowest */
};

/* The requests of one worker with times in one bucket. */
struct times_key {
	uint64_t value, where; /* values of the labels */
	uint32_t worker;       /* PID in the namespace of user space */
	uint32_t bucket;       /* log_scale_bucket() of the time in ns */
};

struct times_row {
	uint64_t count, sum_ns, min_ns, max_ns;
	uint64_t by_clock; /* requests begun before the probes were set, timed in whole ms */
};

/*
 * The requests among which the slowest are found: all of a worker that match together, and each
 * undecided value on its own.
 */
struct times_slowest_key {
	uint64_t where; /* a value that is not decided on, or TIMES_NO_VALUE if it matches */
	uint32_t worker, unused;
};

enum times_record_kind { TIMES_TEXT = 1, TIMES_REQUEST };

/* A text, sent when it is first seen. */
struct times_text {
	uint64_t kind, value;
	struct nginx_text text;
};

/* An attempt at an upstream (ngx_http_upstream_state_t). Times are in ms, or -1 if not known. */
struct times_try {
	int64_t response, connect, header;
	uint32_t peer_len;
	char peer[TIMES_PEER_MAX];
};

/* One of the slowest requests. */
struct times_request {
	uint64_t kind;
	uint64_t request_ns;                     /* how long it took */
	uint64_t end_ns;                         /* when it ended */
	uint64_t head_ns, content_ns, answer_ns; /* when it got there, or 0 if it is not known */
	uint64_t busy_ns;                        /* how long the worker worked on the request */
	int64_t start_ms, log_ms; /* by nginx's clock: since 1970; $request_time, or -1 if none */
	int64_t sent;
	uint32_t worker, status;
	uint32_t by_clock; /* request_ns is by nginx's clock */
	uint32_t nr_tries; /* how many were made; up to TIMES_TRIES are in tries */
	struct times_try tries[TIMES_TRIES];
	struct nginx_text text[NGINX_TEXTS];
};

#endif
