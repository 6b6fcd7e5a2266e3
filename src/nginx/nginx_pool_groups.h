/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pools of memory of a worker of nginx, by what they are for. */
#ifndef NGINX_NGINX_POOL_GROUPS_H
#define NGINX_NGINX_POOL_GROUPS_H

#include "label/nginx/nginx_modules.h"
#include "label/nginx/nginx_pool.h"
#include "nginx_workers.h"

struct nginx_pool_groups {
	/* Pools of one kind. Pools of requests are also grouped by server and location. */
	struct nginx_pool_group {
		const char *kind;
		char *server, *location; /* NULL unless the pools belong to requests */
		uint64_t nr;
		struct nginx_pool sum;
		bool is_consistent;
	} * list; /* the largest ones first */
	size_t nr, alloc;
};

void nginx_pool_groups_read(struct nginx_pool_groups *groups, const struct nginx_worker *w,
	const struct nginx_modules *modules);
void nginx_pool_groups_release(struct nginx_pool_groups *groups);

#endif
