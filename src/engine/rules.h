/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind tables of the files that are hit: found in the cache or made, and put into the pool.
 */
#ifndef RULES_H
#define RULES_H

#include "bpf/shared.h"
#include "builder.h"
#include "pool.h"
#include "process.h"
#include "unwind/table.h"

#include <poll.h>

enum { BUILDERS_MAX = 4 };

struct rules {
	struct processes *ps;
	struct pool *pool;
	struct table_place *places; /* by number; memory that the BPF programs read */
	struct rules_file {
		size_t object;
		struct unwind_table table; /* of TABLE_READY */
		enum table_state state;    /* as we have it; the pool may have no room for it */
		bool asked;
		uint32_t builder; /* who was asked */
	} * files; /* by number, from 1 */
	uint32_t nr, alloc;
	struct builder builders[BUILDERS_MAX]; /* as many as there are processors */
	uint32_t nr_builders;
	char *cache;           /* folder */
	uint32_t nr_homeless;  /* tables that the pool has no room for */
	uint64_t rows, blocks; /* of all tables in the pool */
};

void rules_init(struct rules *r, struct processes *ps);
void rules_release(struct rules *r);

/* The number of the object's table; 0: it has none. The table itself need not be there. */
uint32_t rules_number(struct rules *r, size_t object);
/* The table that is needed: TABLE_PENDING when it must be made first; *TABLE with TABLE_READY. */
enum table_state rules_want(struct rules *r, uint32_t number, const struct unwind_table **table);
/* Wants those of all files that have a number, in this order or the small ones first. */
void rules_want_all(struct rules *r, bool small_first);
/* Takes in tables that were made; true when there were any. */
bool rules_take(struct rules *r);
/* Tables that are being made. */
uint32_t rules_waiting(const struct rules *r);
/* What to poll for tables that were made: fills FDS, at most BUILDERS_MAX; how many. */
nfds_t rules_poll(const struct rules *r, struct pollfd *fds);

#endif
