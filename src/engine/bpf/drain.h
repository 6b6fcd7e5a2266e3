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
#include "kern/slices.h"
#include "map_entries.h"
#include "stack_copies.h"
#include "runtime/vm_processes.h"

struct drain {
	struct samples *samples;
	uint32_t events[ROW_EVENTS]; /* numbers in samples */
	uint32_t states[STATES_MAX]; /* labels in samples, by row_key.state */
	/* Returns the labels of TOOL_VALUE(VALUE), a set of samples. NULL if there are no such
	 * states. */
	uint32_t (*labels_of)(void *tool, uint32_t value);
	void *tool;
	struct label_sets *label_sets; /* of a source of labels */
	struct vm_processes *vms;
	struct stack_copies *copies;
	uint32_t *epoch; /* shared with the BPF programs */
	int nodes, rows; /* fds of the two arrays of maps */
	struct drain_pair {
		struct drain_map {
			int fd;
			uint32_t size; /* entries */
			bool is_own;   /* made by the drain, which closes it */
		} nodes, rows;
	} maps[2];
	struct slices slices;
	uint32_t size_max;   /* entries up to which the maps grow, or 0 if they do not */
	struct drain_nodes { /* of the last two reads, as a row may come one later than its stack */
		struct node_key *keys;
		uint64_t *ids;
		uint32_t nr, alloc;
		struct table by_id;
	} now, before;
	int spans;         /* fd of the map of spans, or -1 if the tool has none */
	uint32_t nr_spans; /* spans for which there is room */
	/*
	 * The stacks in samples, by node, of the spans at the last two reads. A span that ends
	 * during a read adds to a row that comes with the next read.
	 */
	struct table span_stacks, span_stacks_before;
	int error; /* errno of the last map that could not be read, or 0 */
};

/* Allocates the buffers; the caller has set everything else. */
void drain_init(struct drain *d);
void drain_release(struct drain *d);

/* Returns whether half of a map is used, when NR_NODES and NR_ROWS have been added. */
bool drain_is_half_full(const struct drain *d, uint64_t nr_nodes, uint64_t nr_rows);

/* Switches the maps: the programs no longer write to the ones that drain_read() reads. */
void drain_switch(struct drain *d);
/*
 * Reads and empties the maps, when the names and labels of their rows have been taken. Replaces a
 * map that was nearly full by a larger one.
 */
void drain_read(struct drain *d);

/* Sets the label of rows in STATE to KEY=VALUE. */
void drain_name_state(struct drain *d, uint32_t state, const char *key, const char *value);

/* The spans that have begun and not ended. */
struct drain_spans {
	struct span_key *keys;
	struct span *values;
	uint32_t nr;
};
struct drain_spans drain_read_spans(struct drain *d);
void drain_spans_release(struct drain_spans *spans);

/* Adds to a row of the programs. It counts as lost if one of its stacks is missing. */
void drain_add(struct drain *d, const struct row_key *row, uint64_t count, uint64_t sum);
/* Adds one event in the same way, whose time from SINCE to END is shared out over the slices. */
void drain_add_time(struct drain *d, const struct row_key *row, uint64_t since, uint64_t end);

/* Marks mappings like samples_mark_mappings(), for stacks of rows that are not read yet. */
void drain_mark_mappings(const struct drain *d, bool *used, size_t nr);

/* Takes the new numbers of its stacks from TO. */
void drain_renumber(struct drain *d, struct condense *to);

/*
 * Adds the ticks in MAP (fd) that no later stack of their thread has counted, as one cut stack per
 * thread, in the last slice before END_NS. To be called after the programs have stopped.
 */
void drain_delayed(struct drain *d, int map, uint64_t end_ns);

#endif
