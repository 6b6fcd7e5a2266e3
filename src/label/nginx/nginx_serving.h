/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that a worker of nginx serves at a moment: its connections by what they do, its requests. */
#ifndef LABEL_NGINX_NGINX_SERVING_H
#define LABEL_NGINX_NGINX_SERVING_H

#include "nginx_modules.h"
#include "nginx_pool.h"
#include "nginx_read.h"
#include "nginx_workers.h"

enum nginx_use {
	NGINX_USE_READING,  /* a client whose headers are read */
	NGINX_USE_WRITING,  /* one whose request is served */
	NGINX_USE_WAITING,  /* one without a request: before the first, or kept for the next */
	NGINX_USE_CLIENT,   /* one for which none of these is true: TLS handshake, HTTP/2, stream */
	NGINX_USE_UPSTREAM, /* to an upstream, for a request */
	NGINX_USE_KEPT,     /* to an upstream, kept for a request */
	NGINX_USE_LISTENING,
	NGINX_USE_OTHER, /* to the master, a resolver, … */
	NGINX_USES,
};

/* A timer of a connection. */
struct nginx_timeout {
	int64_t left_ms; /* until it expires; below 0: it has, and the worker has not run since */
	bool is_set, of_upstream;
	enum { NGINX_TIMER_READ, NGINX_TIMER_WRITE } event;
};

struct nginx_serving {
	uint64_t nr[NGINX_USES]; /* connections */
	uint64_t nr_connections; /* that it can have */
	uint64_t nr_free;
	uint64_t nr_timers;           /* of connections */
	struct nginx_timeout nearest; /* of these */
	struct nginx_serving_request {
		struct nginx_request request;
		struct nginx_pool pool;
		struct nginx_timeout timeout; /* the nearest of its connections */
		bool is_reading;              /* its headers are read: it is in no phase yet */
		bool is_consistent;           /* all of the row is of one moment */
	} * requests;
	size_t nr_requests, requests_alloc;
	struct nginx_connection *connections;
	size_t nr_open;
	enum nginx_use *uses; /* of these */
	bool is_consistent;   /* of the numbers of connections */
};

/* What is asked of nginx's file, for nginx_workers_open(). */
#define NGINX_SERVING_SYMBOLS "ngx_http_empty_handler", "ngx_current_msec", "ngx_core_module"

/* MODULES: those of any worker. To be released. */
void nginx_serving_read(
	const struct nginx_worker *w, const struct nginx_modules *modules, struct nginx_serving *s);
void nginx_serving_release(struct nginx_serving *s);

#endif
