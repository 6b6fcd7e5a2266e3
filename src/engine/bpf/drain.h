/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the BPF maps of stacks and rows into samples and empties them. There are two of each: while
 * the programs write to one, the other is read.
 */
#ifndef ENGINE_BPF_DRAIN_H
#define ENGINE_BPF_DRAIN_H

#include "engine/label_sets.h"
#include "engine/samples.h"
#include "lib/table.h"
#include "map_entries.h"
#include "stack_copies.h"
#include "vm/vm_processes.h"

struct drain {
	struct samples *samples;
	uint32_t events[ROW_EVENTS];   /* in samples */
	uint32_t labels[LABELS_MAX];   /* in samples, by their numbers in the programs */
	struct label_sets *label_sets; /* of a source of labels */
	struct vm_processes *vms;
	/* Called when the programs no longer write to the maps that are read next; may be NULL. */
	void (*on_switch)(void *context);
	void *context;
	struct stack_copies *copies;
	uint32_t *epoch; /* shared with the BPF programs */
	int nodes, rows; /* fds of the two arrays of maps */
	struct drain_pair {
		int nodes, rows; /* fds */
	} maps[2];
	uint32_t nr_nodes, nr_rows; /* size of each map, in entries */
	struct drain_nodes { /* of the last two reads: a row may come one later than its stack */
		struct node_key *keys;
		uint64_t *ids;
		uint32_t nr;
		struct table by_id;
	} now, before;
	/* A map whose values each begin with the key of the row that they will add to. */
	struct drain_held {
		int map; /* fd, -1: the tool has none */
		size_t key_size, value_size;
		uint32_t max;
	} held;
	/*
	 * Node -> stack in samples, of those values at the last two reads: one that ends during a
	 * read adds to a row that comes with the next one.
	 */
	struct table held_stacks, held_before;
	int error; /* errno of the last map that could not be read, 0: none */
};

/* Allocates the buffers; the caller has set everything else. */
void drain_init(struct drain *d);
void drain_release(struct drain *d);

/* Switches maps, then reads and empties those written until now. */
void drain_run(struct drain *d);

/* All keys and values of the map of rows that are held; the caller frees them. */
struct map_entries drain_read_held(struct drain *d);

/* Adds to a row of the programs; it counts as lost if one of its stacks is missing. */
void drain_add(struct drain *d, const struct row_key *row, uint64_t count, uint64_t sum);

/* As samples_mark_mappings(), for stacks that rows which are not read yet may have. */
void drain_mark_mappings(const struct drain *d, bool *used, size_t nr);

/* Takes the new numbers of the stacks that it has from TO. */
void drain_renumber(struct drain *d, struct condense *to);

/*
 * After the programs have stopped: adds the ticks in MAP (fd) that no later stack of their thread
 * has counted; one cut stack per thread.
 */
void drain_delayed(struct drain *d, int map);

/*
 * After the programs have stopped: adds the waits that have not ended, with their time until NOW_NS
 * (monotonic). SETTINGS selects states and durations.
 */
void drain_waits(struct drain *d, const struct settings *settings, uint64_t now_ns);

#endif
