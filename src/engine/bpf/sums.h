/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and sums of the built-in engine as they are drained from the kernel, each stack once. */
#ifndef ENGINE_BPF_SUMS_H
#define ENGINE_BPF_SUMS_H

#include "engine/bpf/kern/shared.h"
#include "lib/table.h"
#include "model/recording.h"

#include <stddef.h>
#include <stdint.h>

struct sums {
	/*
	 * Leaf first: frames as walk_frame() makes them, addresses of the kernel, or numbers of
	 * Perl's names.
	 */
	struct sums_stack {
		size_t first; /* in frames */
		uint32_t nr;
		uint32_t next; /* the next one of the same hash, 0: none */
		uint8_t kind;  /* enum stack_kind */
		uint8_t end;   /* enum walk_end; perl_end for Perl's */
	} * stacks;            /* from 1 */
	size_t nr_stacks, stacks_alloc;
	uint64_t *frames;
	size_t nr_frames, frames_alloc;
	struct table by_hash;
	struct sums_row {
		struct row_key key; /* user and kernel: numbers of stacks here, or STACK_COPY */
		uint64_t count, sum;
		uint32_t next; /* as above; 0: none */
	} * rows;              /* from 1 */
	size_t nr_rows, rows_alloc;
	struct table rows_by_hash;
};

void sums_init(struct sums *s);
void sums_release(struct sums *s);

/* The number of a stack; equal ones have equal numbers. */
uint32_t sums_stack(
	struct sums *s, const uint64_t *frames, uint32_t nr, enum stack_kind kind, unsigned end);
void sums_add(struct sums *s, const struct row_key *key, uint64_t count, uint64_t sum);

#endif
