/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the shared memory of nginx: its zones, the allocations of their slab allocators, and the
 * dictionaries of its Lua module (ngx_cycle.h, ngx_slab.h, ngx_http_lua_shdict.h).
 */
#ifndef NGINX_NGINX_ZONES_H
#define NGINX_NGINX_ZONES_H

#include "label/nginx/nginx_modules.h"
#include "nginx_workers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NGINX_SLOTS_MAX = 16 };

struct nginx_zone {
	char *name;
	const struct nginx_module *module; /* that it belongs to, or NULL if not known */
	uint64_t address, size;            /* size in bytes */
	/* The slab allocator; has_slab is false if there is none or it cannot be read. */
	bool has_slab;
	uint64_t data;              /* address of the module's data in the zone, or 0 */
	uint64_t pages, free_pages; /* of NGINX_ZONE_PAGE bytes */
	uint64_t largest_free;      /* most free pages in a row */
	/* The Lua dictionary; has_dict is false if it is none, or changed whenever it was read. */
	bool has_dict;
	struct nginx_dict {
		uint64_t keys, key_bytes, value_bytes, expired;
	} dict;
	struct nginx_slot {
		uint64_t size;        /* largest allocation in bytes */
		uint64_t total, used; /* allocations that fit into its pages; used ones of these */
		uint64_t requests, fails; /* since nginx was started */
	} slots[NGINX_SLOTS_MAX];
	size_t nr_slots;
};

enum { NGINX_ZONE_PAGE = 4096 };

struct nginx_zones {
	struct nginx_zone *list;
	size_t nr;
	bool is_known; /* the whole list was read */
};

/* Reads the zones of worker W with its MODULES. The caller releases them in any case. */
void nginx_zones_read(
	const struct nginx_worker *w, const struct nginx_modules *modules, struct nginx_zones *z);
void nginx_zones_release(struct nginx_zones *z);

/* Returns whether the zone is a dictionary of the Lua module. */
bool nginx_zone_is_dict(const struct nginx_zone *zone);

#endif
