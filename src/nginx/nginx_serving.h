/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads all that a worker of nginx serves at a moment: its connections by use, and its requests. */
#ifndef NGINX_NGINX_SERVING_H
#define NGINX_NGINX_SERVING_H

#include "label/nginx/nginx_modules.h"
#include "label/nginx/nginx_pool.h"
#include "nginx_read.h"
#include "nginx_workers.h"

enum nginx_use {
	NGINX_USE_READING,  /* a client whose headers are being read */
	NGINX_USE_WRITING,  /* a client whose request is being served */
	NGINX_USE_WAITING,  /* a client without a request: before the first, or kept for the next */
	NGINX_USE_CLIENT,   /* any other client: TLS handshake, HTTP/2, stream */
	NGINX_USE_UPSTREAM, /* to an upstream, for a request */
	NGINX_USE_KEPT,     /* to an upstream, kept for a request */
	NGINX_USE_LISTENING,
	NGINX_USE_OTHER, /* to the master, a resolver, … */
	NGINX_USES,
};

/* A timer of a connection. */
struct nginx_timeout {
	int64_t left_ms; /* until it expires; below 0 if it has, and the worker did not run since */
	bool is_set, of_upstream;
	enum { NGINX_TIMER_READ, NGINX_TIMER_WRITE } event;
};

struct nginx_serving {
	uint64_t nr[NGINX_USES]; /* number of connections by use */
	uint64_t nr_connections; /* number of connections that the worker can have */
	uint64_t nr_free;
	uint64_t nr_timers;           /* number of timers of connections */
	struct nginx_timeout nearest; /* of these timers, the first to expire */
	struct nginx_serving_request {
		struct nginx_request request;
		struct nginx_pool pool;
		struct nginx_timeout timeout; /* the nearest timer of its connections */
		bool is_reading;    /* its headers are being read: it is in no phase yet */
		bool is_consistent; /* the request and its pool are of one moment */
	} * requests;
	size_t nr_requests, requests_alloc;
	struct nginx_connection *connections;
	size_t nr_open;
	enum nginx_use *uses; /* of these connections */
	bool is_consistent;   /* the numbers of connections are of one moment */
};

/* The symbols that nginx_workers_open() has to look up for this. */
#define NGINX_SERVING_SYMBOLS "ngx_http_empty_handler", "ngx_current_msec", "ngx_core_module"

/* Reads what W serves. MODULES are the modules of any worker. The caller releases S. */
void nginx_serving_read(
	const struct nginx_worker *w, const struct nginx_modules *modules, struct nginx_serving *s);
void nginx_serving_release(struct nginx_serving *s);

#endif
