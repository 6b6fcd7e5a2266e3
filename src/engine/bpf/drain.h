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
	uint32_t states[STATES_MAX];   /* labels in samples, by row_key.state */
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
	int spans;         /* fd of the map of spans, or -1 if the tool has none */
	uint32_t nr_spans; /* that there is room for */
	/*
	 * Node -> stack in samples, of the spans at the last two reads: one that ends during a read
	 * adds to a row that comes with the next one.
	 */
	struct table span_stacks, span_stacks_before;
	int error; /* errno of the last map that could not be read, 0: none */
};

/* Allocates the buffers; the caller has set everything else. */
void drain_init(struct drain *d);
void drain_release(struct drain *d);

/* Switches maps, then reads and empties those written until now. */
void drain_run(struct drain *d);

/* Names the label KEY=VALUE of rows with that state. */
void drain_name_state(struct drain *d, uint32_t state, const char *key, const char *value);

/* All spans that have begun and not ended. */
struct drain_spans {
	struct span_key *keys;
	struct span *values;
	uint32_t nr;
};
struct drain_spans drain_read_spans(struct drain *d);
void drain_spans_release(struct drain_spans *spans);

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

#endif
