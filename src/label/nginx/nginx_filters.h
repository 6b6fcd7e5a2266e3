/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chains of filters that responses and the bodies of requests pass through, read from a
 * process.
 *
 * nginx exports the first filter of each chain only. A filter module's postconfiguration function
 * keeps the first filter so far in a static variable and puts its own in front; the filter goes on
 * to what that variable has. So each filter's code loads a variable that has the next one, which is
 * a function whose address another module's postconfiguration takes. No more is accepted as a link,
 * and two of them are not one.
 */
#ifndef LABEL_NGINX_NGINX_FILTERS_H
#define LABEL_NGINX_NGINX_FILTERS_H

#include "nginx_functions.h"
#include "nginx_modules.h"

enum nginx_chain_kind {
	NGINX_HEADER_FILTERS,
	NGINX_BODY_FILTERS,
	NGINX_REQUEST_BODY_FILTERS,
	NGINX_CHAINS,
};

struct nginx_filters {
	struct nginx_functions functions; /* for what needs to know whose code an address is */
	struct nginx_chain {
		struct nginx_filter {
			uint64_t function;
			const struct nginx_module *module; /* NULL: not known */
		} * list;                                  /* as they run */
		size_t nr;
		bool is_whole; /* it ends with the filter that is the last one in every nginx */
	} chain[NGINX_CHAINS];
	/* the modules of phase handlers, as struct nginx_modules has them; NULL: not known */
	const struct nginx_module **handlers;
};

/* "header_filter" */
const char *nginx_chain_name(enum nginx_chain_kind kind);

/* Valid as long as MODULES and T are. */
void nginx_filters_read(
	struct nginx_filters *filters, const struct nginx_modules *modules, const struct target *t);
void nginx_filters_release(struct nginx_filters *filters);

#endif
