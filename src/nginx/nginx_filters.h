/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the chains of filters that responses and the bodies of requests pass through from a
 * process.
 *
 * nginx only exports the first filter of each chain. The postconfiguration function of a filter
 * module saves the first filter so far in a static variable and puts its own filter in front, which
 * later calls the filter in that variable. So the code of each filter loads a variable with the
 * next filter, and the postconfiguration function of another module takes the address of that
 * filter. Only such a variable is accepted as a link. If a filter loads two of them, the link is
 * not known.
 */
#ifndef NGINX_NGINX_FILTERS_H
#define NGINX_NGINX_FILTERS_H

#include "nginx_functions.h"
#include "label/nginx/nginx_modules.h"

enum nginx_chain_kind {
	NGINX_HEADER_FILTERS,
	NGINX_BODY_FILTERS,
	NGINX_REQUEST_BODY_FILTERS,
	NGINX_CHAINS,
};

struct nginx_filters {
	struct nginx_functions functions; /* for finding out whose code an address is */
	struct nginx_chain {
		struct nginx_filter {
			uint64_t function;
			const struct nginx_module *module; /* or NULL if it is not known */
		} * list;                                  /* in the order in which they run */
		size_t nr;
		bool is_whole; /* it ends with the filter that is the last one in every nginx */
	} chain[NGINX_CHAINS];
	/* Modules of the phase handlers in struct nginx_modules, or NULL if not known. */
	const struct nginx_module **handlers;
};

/* Returns the name of a chain, such as "header_filter". */
const char *nginx_chain_name(enum nginx_chain_kind kind);

/* Reads the chains of T. They are valid as long as MODULES and T are. */
void nginx_filters_read(
	struct nginx_filters *filters, const struct nginx_modules *modules, const struct target *t);
void nginx_filters_release(struct nginx_filters *filters);

#endif
