/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The executable mappings of processes, published to the BPF programs. */
#ifndef ENGINE_BPF_SPACES_H
#define ENGINE_BPF_SPACES_H

#include "lib/table.h"
#include "loader.h"
#include "pool.h"
#include "process/facet.h"
#include "process/process.h"
#include "runtime/native.h"

struct spaces {
	struct facet facet; /* exec and exit of a process invalidate what was published */
	struct processes *ps;
	struct pool *pool;
	struct loader *loader;
	struct facet *layouts; /* see jit_layouts_init() */
	bool late;             /* processes without a sample are not published; false by default */
	int map;               /* fd of the map from pid to struct space */
	struct spaces_entry {
		uint64_t id;        /* of the process */
		uint32_t block, nr; /* in the pool; block is 0 if there are none */
		unsigned changes;   /* of the process, when it was published */
		bool published;
		bool unchecked;                /* as in struct space */
		int64_t published_ns, took_ns; /* when it was published, and the CPU time it took */
	} * entries;                           /* by index in ps->list */
	size_t nr;
	uint32_t nr_versions;
	struct table versions; /* hash of a list of mappings -> its version */
};

void spaces_init(struct spaces *s, struct processes *ps, struct pool *pool, struct loader *loader,
	struct facet *layouts, int map_fd);
void spaces_release(struct spaces *s);

/*
 * Publishes the current mappings if they have changed, unless that is left to spaces_check().
 * Returns false if it has to wait, because it would take too much of the CPU.
 */
bool spaces_update(struct spaces *s, struct process *p);
/*
 * Compares the mappings with EXEC_PAGES, the pages of executable mappings that the kernel counted
 * at TIME_NS (monotonic). If the mappings that were published by then differ, scans the process and
 * publishes them again.
 */
void spaces_check(struct spaces *s, struct process *p, uint64_t exec_pages, int64_t time_ns);

#endif
