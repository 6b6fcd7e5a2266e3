/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the keys of a dictionary that nginx's Lua module has in shared memory. */
#ifndef NGINX_NGINX_DICT_H
#define NGINX_NGINX_DICT_H

#include "nginx_zones.h"

/*
 * Counts the keys of the dictionary in ZONE, whose slab allocator is known. Returns false if ZONE
 * is not a dictionary, or changed each time that it was read.
 */
bool nginx_dict_read(
	const struct memory *m, const struct nginx_zone *zone, struct nginx_dict *dict);

#endif
