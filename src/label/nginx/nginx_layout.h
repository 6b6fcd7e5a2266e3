/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of requests in a process of nginx, and the texts of a request. Also included by the
 * BPF programs.
 *
 * Offsets are in bytes. Offsets that are equal in all versions from 1.14 on are constants, all
 * other offsets are members of the layout. Sources: ngx_http_request.h, ngx_connection.h,
 * ngx_event.h, ngx_cycle.h, ngx_http_core_module.h, ngx_http_upstream.h.
 */
#ifndef LABEL_NGINX_NGINX_LAYOUT_H
#define LABEL_NGINX_NGINX_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	NGINX_SIGNATURE = 0x50545448, /* "HTTP", the first four bytes of a request */

	NGINX_REQUEST_CONNECTION = 8,
	NGINX_REQUEST_SRV_CONF = 0x20, /* arrays of the modules' configurations, by ctx_index */
	NGINX_REQUEST_LOC_CONF = 0x28,
	NGINX_REQUEST_WRITE = 0x38, /* function for write events, 0 until the head is complete */

	NGINX_CONNECTION_DATA = 0, /* its request or other owner */
	NGINX_CONNECTION_READ = 8,
	NGINX_CONNECTION_WRITE = 0x10,
	NGINX_CONNECTION_FD = 0x18, /* -1 if it is closed */
	NGINX_CONNECTION_LISTENING = 0x40,
	NGINX_CONNECTION_SENT = 0x48,
	NGINX_CONNECTION_POOL = 0x58,    /* address of its pool */
	NGINX_CONNECTION_ADDRESS = 0x78, /* the client's address, a string */

	NGINX_CYCLE_POOL = 8,

	NGINX_STRING_DATA = 8, /* behind the length */

	NGINX_EVENT_DATA = 0, /* its connection, unless it is only a timer */
	NGINX_EVENT_FLAGS = 8,
	NGINX_EVENT_ACCEPT = 1 << 1,
	NGINX_EVENT_TIMER_SET = 1 << 11,
	NGINX_EVENT_HANDLER = 0x10,
	NGINX_EVENT_TIMER = 0x28, /* when the timer expires, in ms of ngx_current_msec */

	NGINX_UPSTREAM_PEER = 0x10,      /* its connection */
	NGINX_UPSTREAM_PEER_NAME = 0x28, /* points to a string */

	NGINX_MAIN_CONF_PHASES = 0x28, /* points to the phase handlers */
	NGINX_PHASE_SIZE = 24,         /* checker, handler, next */
	NGINX_LOC_CONF_NAME = 0,       /* a string */
};

/*
 * What a worker does while it serves no request, by the functions in its stack. If several places
 * apply, the last one in this list counts.
 */
enum nginx_place {
	NGINX_OTHER = 1, /* outside the event loop: the worker starts or ends; or another thread */
	NGINX_IDLE,      /* the event loop itself, which waits for events most of the time */
	NGINX_TIMERS,
	NGINX_READING, /* reads from a client's connection before the request is known */
	NGINX_QUIC,    /* handles packets of HTTP/3, which may belong to several requests */
	NGINX_ACCEPT,
	NGINX_CLOSING, /* closes requests and connections */
	NGINX_PLACES,
};

enum { NGINX_CODES = 10 };

enum nginx_state {
	NGINX_NO_WORKER, /* it serves no requests: the master, or a worker that has just started */
	NGINX_ASSUMED,   /* known by version and signature, as no request was there to verify it */
	NGINX_VERIFIED,  /* verified by a request */
};

/* Programs based on nginx, with additional members in some structures. */
enum nginx_variant {
	NGINX_ITSELF, /* also OpenResty, whose layout is the same */
	NGINX_TENGINE,
	NGINX_ANGIE,
};

struct nginx_layout {
	uint32_t version; /* 1022001 is 1.22.1; Angie has its own numbers */
	uint16_t state;   /* enum nginx_state */
	uint16_t variant; /* enum nginx_variant */
	uint64_t bias;    /* run-time addresses minus link addresses of the program's file */
	uint64_t cycle;   /* address of ngx_cycle, a pointer to the cycle */
	/* Addresses of the arrays, or 0 if they are not allocated, as in the master. */
	uint64_t connections, read_events, write_events;
	uint32_t nr_connections;
	uint16_t connection_size, event_size;
	uint32_t core; /* ctx_index of ngx_http_core_module */
	uint32_t unused;
	/* ngx_process_events_and_timers(), from which all requests are served. */
	uint64_t loop, loop_end;
	struct nginx_place_code {
		uint64_t start;
		uint32_t size;
		uint32_t place; /* enum nginx_place */
	} code[NGINX_CODES];    /* up to the first entry of size 0 */
	struct nginx_offsets {
		/* In a request; unless it is a subrequest, main is the request and parent is 0. */
		uint16_t upstream, upstream_states, pool;
		uint16_t server, status; /* server is the host, a string; status is the sent one */
		uint16_t start;          /* s and ms since 1970 */
		uint16_t uri, args, method;      /* strings; args directly follows uri */
		uint16_t main, parent;           /* addresses of requests */
		uint16_t phase, content_handler; /* phase is the index of the phase handler */
		uint16_t server_name;            /* in a server's configuration */
		uint16_t upstream_conf;          /* in an upstream */
		uint16_t upstream_host;          /* in an upstream's configuration; a string */
		uint16_t number, requests;       /* in a connection; 0 if not known */
	} at;
};

/* The texts that are read from a request. */
enum nginx_text_kind {
	NGINX_URI,
	NGINX_ARGS,
	NGINX_METHOD,
	NGINX_HOST,
	NGINX_SERVER,   /* name of the server{} */
	NGINX_LOCATION, /* name of the location{} */
	NGINX_UPSTREAM, /* name of the upstream{} */
	NGINX_PEER,     /* address of the upstream's server */
	NGINX_CLIENT,   /* address of the client */
	NGINX_TEXTS,
};

/* The labels: the texts come first, these follow. */
enum nginx_key {
	NGINX_KEY_PHASE = NGINX_TEXTS,
	NGINX_KEY_HANDLER,
	NGINX_KEY_STATUS,
	NGINX_KEY_SUB,
	NGINX_KEY_CONN,
	NGINX_KEY_WORKER,
	NGINX_KEYS,
};

enum { NGINX_TEXT_MAX = 160, NGINX_HEAD = UINT16_MAX };

struct nginx_texts {
	struct nginx_text {
		uint64_t len; /* of the whole text, which is cut after NGINX_TEXT_MAX bytes */
		char bytes[NGINX_TEXT_MAX];
	} text[NGINX_TEXTS];
	uint64_t content_handler; /* address of the function, or 0 for the phase handler */
	uint64_t connection;      /* number of the connection, as $connection */
	uint32_t phase;           /* index of the phase handler, or NGINX_HEAD before the first */
	uint32_t status;          /* or 0 if it is not known yet */
	uint32_t subrequest;      /* 1 for a subrequest, else 0 */
	uint32_t pad;
};

/* The identity of a request in one state: as long as it is the same, the texts are the same. */
struct nginx_identity {
	uint64_t request, connection, loc_conf, peer, host; /* addresses */
	uint64_t start[2];                                  /* s and ms since 1970 */
	uint64_t uri_and_args[4];                           /* length and address of each */
	uint64_t phase, content_handler, status;
	uint64_t number, requests; /* number of the connection, and of the requests on it so far */
};

#endif
