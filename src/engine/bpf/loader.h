/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The unwind tables of files that samples hit. They are read from the cache or built, and then put
 * into the pool.
 */
#ifndef ENGINE_BPF_LOADER_H
#define ENGINE_BPF_LOADER_H

#include "builder.h"
#include "engine/bpf/kern/shared.h"
#include "pool.h"
#include "process/process.h"
#include "unwind/unwind_table.h"

#include <poll.h>

enum {
	BUILDERS_MAX = 4,
	/* a file that takes long is given up, and tried again when no other file waits */
	LOADER_TRIES = 2,
};

struct loader {
	struct processes *ps;
	struct pool *pool;
	struct table_desc *descs; /* by table number; shared with the BPF programs */
	struct loader_file {
		size_t object;
		struct unwind_table table; /* valid if TABLE_READY */
		enum table_state state;    /* in user space; the pool may have no room for it */
		bool requested, is_unused;
		uint8_t nr_late;    /* how often it took too long */
		uint32_t better;    /* number of its analysed table, or 0 if not requested */
		uint32_t first;     /* number of the table that this analysed one replaces, or 0 */
		uint32_t block, nr; /* in the pool; block is 0 if there are none */
		uint32_t next;      /* the next one in its queue, or 0 */
	} * files;                  /* by table number, from 1 */
	uint32_t nr, alloc;
	uint32_t *unused; /* table numbers; the ones that can be used again are first */
	size_t nr_unused, nr_usable, unused_alloc;
	struct builder builders[BUILDERS_MAX]; /* one per CPU */
	struct loader_start {
		int64_t at_ns;   /* when a builder that does not run is to be started again */
		uint32_t nr_bad; /* how many files in a row have ended it */
		bool was_idle;   /* it was ended for lack of work, and others may suffice */
	} starts[BUILDERS_MAX];
	uint32_t nr_builders;
	struct loader_queue {
		uint32_t first, last; /* 0 if the queue is empty */
	} queues[LOADER_TRIES];       /* files that wait for a builder, by nr_late */
	uint32_t nr_pending;          /* how many were requested and have no result */
	int64_t file_ns;              /* processor time that a table may take at first */
	int64_t busy_ns;              /* when files last waited, or were built */
	uint32_t nr_bad;              /* files that ended a builder */
	char *cache;                  /* path of the cache's folder */
	uint32_t nr_unplaced;         /* tables for which the pool has no room */
	uint64_t rows, blocks;        /* of all tables in the pool */
	uint64_t bytes;               /* of tables in user space, which have no room there */
};

void loader_init(struct loader *l, struct processes *ps);
void loader_release(struct loader *l);

/*
 * Returns the table number of the object, or 0 if it has no table. The table may not have been
 * built yet.
 */
uint32_t loader_number(struct loader *l, size_t object);
/*
 * Requests a table. Returns TABLE_PENDING if it is being built. If TABLE_READY is returned, *TABLE
 * is set; the loader owns it.
 */
enum table_state loader_request(
	struct loader *l, uint32_t number, const struct unwind_table **table);
/*
 * Reports that code of the file has no rule in its table. If the file has not been analysed, it
 * will be when no other file waits, and the better table then replaces the first one.
 */
void loader_miss(struct loader *l, uint32_t number);
/* Requests the tables of all numbered files, by number or, with SMALL_FIRST, by size. */
void loader_request_all(struct loader *l, bool small_first);
/*
 * Receives the tables that have been built, ends builders whose file takes too much time or that
 * have been idle for long, and gives the other builders work, such as analysing files for which
 * programs have missed rules. Returns whether there were results. Does not block. To be called from
 * time to time.
 */
bool loader_receive(struct loader *l);
/*
 * Frees the tables of objects that are not needed, see objects.h, unless they are being built.
 * Their numbers are used again after the next call, when no program has them any more.
 */
void loader_sweep(struct loader *l);
/* Returns the number of tables being built. */
uint32_t loader_nr_pending(const struct loader *l);
/* Returns whether the children that build tables cannot be confined here and so do not run. */
bool loader_is_hopeless(const struct loader *l);
/*
 * Fills FDS, which has room for BUILDERS_MAX, for poll(2) to wait for built tables. Returns how
 * many it has filled.
 */
nfds_t loader_poll(const struct loader *l, struct pollfd *fds);

#endif
