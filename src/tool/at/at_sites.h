/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places in files where the programs of a probe point run. */
#ifndef TOOL_AT_AT_SITES_H
#define TOOL_AT_AT_SITES_H

#include "at.h"

#include <stddef.h>
#include <stdint.h>

struct at_file;

struct at_site {
	const struct at_file *file;
	uint64_t offset;               /* in the file */
	uint64_t address;              /* at which it is linked */
	uint64_t semaphore;            /* offset in the file of a mark's count of users, or 0 */
	struct at_place value, tested; /* numbers at a mark */
};

struct at_sites {
	struct at_site *list;
	size_t nr, alloc;
};

void at_sites_add(struct at_sites *sites, const struct at_site *site);
void at_sites_release(struct at_sites *sites);

#endif
