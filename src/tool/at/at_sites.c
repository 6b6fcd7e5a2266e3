/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_sites.h"
#include "lib/util.h"

#include <stdlib.h>

void at_sites_add(struct at_sites *sites, const struct at_site *site)
{
	ALLOC_GROW(sites->list, sites->nr, sites->alloc);
	sites->list[sites->nr++] = *site;
}

void at_sites_release(struct at_sites *sites)
{
	free(sites->list);
	*sites = (struct at_sites){0};
}
