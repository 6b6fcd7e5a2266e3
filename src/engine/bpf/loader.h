/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind tables of the files that are hit: found in the cache or made, and put into the pool.
 */
#ifndef ENGINE_BPF_LOADER_H
#define ENGINE_BPF_LOADER_H

#include "builder.h"
#include "engine/bpf/kern/shared.h"
#include "pool.h"
#include "process/process.h"
#include "unwind/unwind_table.h"

#include <poll.h>

enum { BUILDERS_MAX = 4 };

struct loader {
	struct processes *ps;
	struct pool *pool;
	struct table_place *places; /* by number; memory that the BPF programs read */
	struct loader_file {
		size_t object;
		struct unwind_table table; /* of TABLE_READY */
		enum table_state state;    /* as we have it; the pool may have no room for it */
		bool asked;
		uint32_t builder; /* who was asked */
	} * files;                /* by number, from 1 */
	uint32_t nr, alloc;
	struct builder builders[BUILDERS_MAX]; /* as many as there are processors */
	uint32_t nr_builders;
	char *cache;           /* folder */
	uint32_t nr_homeless;  /* tables that the pool has no room for */
	uint64_t rows, blocks; /* of all tables in the pool */
};

void loader_init(struct loader *l, struct processes *ps);
void loader_release(struct loader *l);

/* The number of the object's table; 0: it has none. The table itself need not be there. */
uint32_t loader_number(struct loader *l, size_t object);
/* The table that is needed: TABLE_PENDING when it must be made first; *TABLE with TABLE_READY. */
enum table_state loader_want(struct loader *l, uint32_t number, const struct unwind_table **table);
/* Wants those of all files that have a number, in this order or the small ones first. */
void loader_want_all(struct loader *l, bool small_first);
/* Takes in tables that were made; true when there were any. */
bool loader_take(struct loader *l);
/* Tables that are being made. */
uint32_t loader_waiting(const struct loader *l);
/* What to poll for tables that were made: fills FDS, at most BUILDERS_MAX; how many. */
nfds_t loader_poll(const struct loader *l, struct pollfd *fds);

#endif
