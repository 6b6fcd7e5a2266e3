/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that are added to a profile together, in sorted order. In the order of a text, each frame
 * needs a search among the children of a node somewhere in a tree that is larger than the caches.
 * Sorted stacks share their first frames with the stack before them, and extend the tree at its
 * end.
 */
#ifndef INPUT_STACK_BATCH_H
#define INPUT_STACK_BATCH_H

#include "model/profile.h"

#include <stddef.h>
#include <stdint.h>

/* Empty if all bytes are 0. */
struct stack_batch {
	/* for each stack: its weight in two words, its frames from the root to the leaf, and 0 */
	uint32_t *words;
	size_t nr_words, words_alloc; /* less than 1 << 32 */
	struct stack_item {
		uint64_t key;    /* two of its frames, while sorting */
		uint32_t frames; /* index of the first one in words */
	} * items;
	size_t nr, alloc;
};

/*
 * Returns room for the N frames of another stack, root first. The caller fills it in before the
 * next call.
 */
uint32_t *stack_batch_add(struct stack_batch *b, size_t n, uint64_t weight);

/* Adds all stacks to P, and empties B. Uses only the nodes of P. */
void stack_batch_flush(struct stack_batch *b, struct profile *p);

void stack_batch_release(struct stack_batch *b);

#endif
