/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, once from a process, the modules of nginx, the code of each module, and the phases that a
 * request passes through.
 */
#ifndef LABEL_NGINX_NGINX_MODULES_H
#define LABEL_NGINX_NGINX_MODULES_H

#include "nginx_layout.h"
#include "process/target.h"
#include "symbol/nginx_code.h"

#include <stddef.h>

struct strbuf;

/* The type of modules that serve HTTP. */
enum { NGINX_MODULE_HTTP = 0x50545448 };

/* The phases, in the order in which requests pass through them. */
enum nginx_phase {
	NGINX_POST_READ,
	NGINX_SERVER_REWRITE,
	NGINX_FIND_CONFIG,
	NGINX_REWRITE,
	NGINX_POST_REWRITE,
	NGINX_PREACCESS,
	NGINX_ACCESS,
	NGINX_POST_ACCESS,
	NGINX_PRECONTENT,
	NGINX_CONTENT,
	NGINX_PHASES,
};

struct nginx_modules {
	struct nginx_module {
		uint64_t address; /* of its structure */
		char *name;       /* "ngx_http_gzip_filter_module" */
		uint64_t index;   /* ctx_index */
		uint64_t type;    /* "HTTP", "CORE", … as a number, the first letter lowest */
		uint64_t ctx;     /* address of the data that is specific to its type */
	} * list;                 /* in nginx's order */
	size_t nr;
	struct nginx_code code;
	struct nginx_phase_handler {
		uint64_t checker, handler; /* addresses */
		uint64_t next;
		enum nginx_phase phase;
	} * handlers; /* a request's phase is an index into this list */
	size_t nr_handlers;
};

/* Reads the modules. Returns false if they cannot be read. The caller releases them in any case. */
bool nginx_modules_read(
	const struct nginx_layout *l, const struct target *t, struct nginx_modules *modules);
/* Says in ERR that the modules of process PID cannot be read; returns -1. */
int nginx_modules_refuse(uint32_t pid, struct strbuf *err);
void nginx_modules_release(struct nginx_modules *modules);

/*
 * Returns the module of the code at ADDRESS, such as a handler, by the last known function that
 * begins at or before ADDRESS, or NULL if there is none.
 */
const struct nginx_module *nginx_modules_find(
	const struct nginx_modules *modules, uint64_t address);

/*
 * Returns the name of a phase, such as "content", or "head" while the head of the request is read.
 * PHASE is the index of a phase handler; returns NULL if there is no such handler.
 */
const char *nginx_phase_name(const struct nginx_modules *modules, uint64_t phase);

/*
 * Returns the module whose handler serves a request in this phase, or NULL if it is not known.
 * CONTENT_HANDLER is as in struct nginx_texts.
 */
const struct nginx_module *nginx_handler(
	const struct nginx_modules *modules, uint64_t phase, uint64_t content_handler);

#endif
