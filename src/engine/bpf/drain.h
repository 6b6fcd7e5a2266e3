/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Empties the kernel's tables of stacks and rows into samples. There are two of each: while the
 * programs write into one, the other is read.
 */
#ifndef ENGINE_BPF_DRAIN_H
#define ENGINE_BPF_DRAIN_H

#include "engine/samples.h"
#include "lib/table.h"
#include "stack_copies.h"
#include "vm/vm_processes.h"

struct drain {
	struct samples *samples;
	uint32_t event;              /* of its rows */
	uint32_t labels[LABELS_MAX]; /* in samples, by their numbers in the programs */
	struct vm_processes *vms;
	void (*flipped)(
		void *context); /* nobody writes any more to what is read now; may be NULL */
	void *context;
	struct stack_copies *copies;
	uint32_t *epoch; /* memory that the BPF programs read */
	int nodes, rows; /* fds of the two arrays of maps */
	struct drain_pair {
		int nodes, rows; /* fds */
	} maps[2];
	uint32_t nr_nodes, nr_rows; /* entries, of each */
	struct drain_nodes {        /* those of the last two times: a wait may begin in the first */
		struct node_key *keys;
		uint64_t *ids;
		uint32_t nr;
		struct table by_id;
	} now, before;
	int waits; /* fd, -1: this is not about waits */
	struct table
		kept; /* node -> stack in samples, of the waits that were not over the last time */
	int error;    /* errno of what could not be read, 0: all was */
};

/* Everything but the buffers is set by the caller. */
void drain_init(struct drain *d);
void drain_release(struct drain *d);

/* Reads and empties what was written up to now. */
void drain_run(struct drain *d);

/*
 * When no program runs any more: adds the ticks in MAP (a fd) that no stack of their thread came to
 * count for; each thread's are one cut stack.
 */
void drain_delayed(struct drain *d, int map);

/*
 * When no program runs any more: adds what the waits that are not over have lasted until NOW_NS
 * (monotonic). SETTINGS tell which parts of them count.
 */
void drain_waits(struct drain *d, const struct settings *settings, uint64_t now_ns);

#endif
