/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unwind tables of files that samples hit: read from the cache or built, then put into the
 * pool.
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
	struct table_desc *descs; /* by table number; shared with the BPF programs */
	struct loader_file {
		size_t object;
		struct unwind_table table; /* of TABLE_READY */
		enum table_state state;    /* in user space; the pool may have no room for it */
		bool requested;
		uint32_t builder; /* if requested */
	} * files;                /* by table number, from 1 */
	uint32_t nr, alloc;
	struct builder builders[BUILDERS_MAX]; /* one per CPU */
	uint32_t nr_builders;
	char *cache;           /* path of its folder */
	uint32_t nr_unplaced;  /* tables for which the pool has no room */
	uint64_t rows, blocks; /* of all tables in the pool */
};

void loader_init(struct loader *l, struct processes *ps);
void loader_release(struct loader *l);

/* The table number of the object, 0: it has no table. The table may not have been built yet. */
uint32_t loader_number(struct loader *l, size_t object);
/*
 * Requests a table. TABLE_PENDING: it is being built; TABLE_READY: *TABLE is set and the loader's.
 */
enum table_state loader_request(
	struct loader *l, uint32_t number, const struct unwind_table **table);
/* Requests the tables of all numbered files, by number or small files first. */
void loader_request_all(struct loader *l, bool small_first);
/* Receives the tables that have been built; true if there were any. Does not block. */
bool loader_receive(struct loader *l);
/* The number of tables being built. */
uint32_t loader_nr_pending(const struct loader *l);
/* Fills FDS (room for BUILDERS_MAX) to poll(2) for built tables; returns how many. */
nfds_t loader_poll(const struct loader *l, struct pollfd *fds);

#endif
