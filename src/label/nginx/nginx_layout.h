/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a process of nginx has what its requests are about, and the texts of a request. Also
 * included by the BPF programs.
 *
 * Offsets are in bytes. Those that are equal in all versions from 1.14 on are constants, the others
 * values of the layout. Sources: ngx_http_request.h, ngx_connection.h, ngx_event.h, ngx_cycle.h,
 * ngx_http_core_module.h, ngx_http_upstream.h.
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
	NGINX_REQUEST_WRITE = 0x38, /* function for write events; 0: the head is not complete */

	NGINX_CONNECTION_DATA = 0, /* its request, or what else owns it */
	NGINX_CONNECTION_READ = 8,
	NGINX_CONNECTION_WRITE = 0x10,
	NGINX_CONNECTION_FD = 0x18, /* -1: it is closed */
	NGINX_CONNECTION_LISTENING = 0x40,
	NGINX_CONNECTION_SENT = 0x48,
	NGINX_CONNECTION_POOL = 0x58,    /* address of its pool */
	NGINX_CONNECTION_ADDRESS = 0x78, /* of the client, a string */

	NGINX_CYCLE_POOL = 8,

	NGINX_STRING_DATA = 8, /* behind the length */

	NGINX_EVENT_DATA = 0, /* its connection, unless it is only a timer */
	NGINX_EVENT_FLAGS = 8,
	NGINX_EVENT_ACCEPT = 1 << 1,
	NGINX_EVENT_TIMER_SET = 1 << 11,
	NGINX_EVENT_HANDLER = 0x10,
	NGINX_EVENT_TIMER = 0x28, /* key of the timer: ms of ngx_current_msec when it expires */

	NGINX_UPSTREAM_PEER = 0x10,      /* its connection */
	NGINX_UPSTREAM_PEER_NAME = 0x28, /* points to a string */

	NGINX_MAIN_CONF_PHASES = 0x28, /* points to the phase handlers */
	NGINX_PHASE_SIZE = 24,         /* checker, handler, next */
	NGINX_LOC_CONF_NAME = 0,       /* a string */
};

/*
 * What a worker does where no request is served, by the functions in its stack; where several
 * are, the last of these counts.
 */
enum nginx_place {
	NGINX_OTHER = 1, /* not in the event loop: it starts or ends, or another thread */
	NGINX_IDLE,      /* the event loop itself, which waits for events most of the time */
	NGINX_TIMERS,
	NGINX_READING, /* of a client's connection, before the request is known */
	NGINX_QUIC,    /* packets of HTTP/3, which may be of several requests */
	NGINX_ACCEPT,
	NGINX_CLOSING, /* requests and connections */
	NGINX_PLACES,
};

enum { NGINX_CODES = 10 };

enum nginx_state {
	NGINX_NO_WORKER, /* it serves no requests: the master, or a worker that has just started */
	NGINX_ASSUMED,   /* by version and signature; no request was there to verify it */
	NGINX_VERIFIED,  /* by a request */
};

/* Programs based on nginx, with additional members in some structures. */
enum nginx_variant {
	NGINX_ITSELF, /* also OpenResty, whose layout is the same */
	NGINX_TENGINE,
	NGINX_ANGIE,
};

struct nginx_layout {
	uint32_t version; /* 1022001: 1.22.1; Angie has its own numbers */
	uint16_t state;   /* enum nginx_state */
	uint16_t variant; /* enum nginx_variant */
	uint64_t bias;    /* run-time addresses minus link addresses of the program's file */
	uint64_t cycle;   /* address of ngx_cycle, a pointer to the cycle */
	/* Arrays; 0: not allocated, as in the master. */
	uint64_t connections, read_events, write_events;
	uint32_t nr_connections;
	uint16_t connection_size, event_size;
	uint32_t core; /* ctx_index of ngx_http_core_module */
	uint32_t unused;
	/* Code from which all requests are served: ngx_process_events_and_timers(). */
	uint64_t loop, loop_end;
	struct nginx_place_code {
		uint64_t start;
		uint32_t size;
		uint32_t place; /* enum nginx_place */
	} code[NGINX_CODES];    /* size 0: no more */
	struct nginx_offsets {
		uint16_t upstream, upstream_states, pool; /* of a request */
		uint16_t server, status;                  /* host: a string; sent headers */
		uint16_t start;                           /* s and ms since 1970 */
		uint16_t uri, args, method;               /* strings; args behind uri */
		uint16_t main, parent;                    /* requests; r itself, 0: no subrequest */
		uint16_t phase, content_handler;          /* index of the phase handler */
		uint16_t server_name;                     /* of a server's configuration */
		uint16_t upstream_conf;                   /* of an upstream */
		uint16_t upstream_host;                   /* of that; a string */
		uint16_t number, requests;                /* of a connection; 0: not known */
	} at;
};

/* What is read of a request. */
enum nginx_text_kind {
	NGINX_URI,
	NGINX_ARGS,
	NGINX_METHOD,
	NGINX_HOST,
	NGINX_SERVER,   /* name of the server{} */
	NGINX_LOCATION, /* of the location{} */
	NGINX_UPSTREAM, /* name of the upstream{} */
	NGINX_PEER,     /* the address that the upstream is asked at */
	NGINX_CLIENT,   /* its address */
	NGINX_TEXTS,
};

/* The labels: the texts, then these. */
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
		uint64_t len; /* of the whole text; at most NGINX_TEXT_MAX bytes of it are there */
		char bytes[NGINX_TEXT_MAX];
	} text[NGINX_TEXTS];
	uint64_t content_handler; /* address of the function; 0: the phase handler */
	uint64_t connection;      /* its number, as $connection */
	uint32_t phase;           /* index of the phase handler; NGINX_HEAD: before all of them */
	uint32_t status;          /* 0: not known yet */
	uint32_t subrequest;      /* 1: it is one */
	uint32_t pad;
};

/* What tells a request, in one state, from others: while it is the same, so are the texts. */
struct nginx_identity {
	uint64_t request, connection, loc_conf, peer, host; /* addresses */
	uint64_t start[2];                                  /* s and ms since 1970 */
	uint64_t uri_and_args[4];                           /* length and address of each */
	uint64_t phase, content_handler, status;
	uint64_t number, requests; /* of the connection; requests that it has had */
};

#endif
