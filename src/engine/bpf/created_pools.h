/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pools of memory that nginx has created and not destroyed, as the programs remember them; and
 * how large they are at the end, from the memory of their processes.
 */
#ifndef ENGINE_BPF_CREATED_POOLS_H
#define ENGINE_BPF_CREATED_POOLS_H

#include "kern/shared.h"

#include <stddef.h>

struct drain;
struct processes;
struct samples;
struct strbuf;

struct created_pools {
	int map; /* fd, -1: the tool does not record pools */
	struct drain *drain;
	struct processes *processes;
	struct pool_at_end {
		struct pool_key key;
		struct created_pool created;
		uint64_t bytes;
	} * list; /* at the end */
	size_t nr;
	uint64_t nr_unread;  /* whose sizes could not be read */
	uint64_t nr_unknown; /* with allocations of unknown size */
};

/* DRAIN holds the map. Adds the event and labels of pools to SAMPLES and to it. */
void created_pools_init(
	struct created_pools *p, int map, struct drain *drain, struct processes *processes);
void created_pools_release(struct created_pools *p);

/* The process PID has ended, or runs another program: so have its pools. */
void created_pools_ended(struct created_pools *p, uint32_t pid);

/* While the probes are still there: reads the pools that exist. */
void created_pools_read(struct created_pools *p);

/* Then, without the probes: leaves out those that were destroyed meanwhile. */
void created_pools_check(struct created_pools *p);

/* Adds the rows of those that are at least MIN_AGE_NS old at NOW_NS (monotonic). */
void created_pools_add(const struct created_pools *p, uint64_t min_age_ns, uint64_t now_ns);

/* What is not known of their sizes, one per line. */
void created_pools_note(const struct created_pools *p, struct strbuf *notes);

#endif
