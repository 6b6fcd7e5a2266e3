/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that came up as copies of registers and memory, because the tables they need were not in
 * the kernel yet. They are unwound here, by the same rules.
 */
#ifndef ENGINE_BPF_STACK_COPIES_H
#define ENGINE_BPF_STACK_COPIES_H

#include "engine/samples.h"
#include "lib/table.h"
#include "loader.h"

#include <stdbool.h>

struct stack_copies {
	struct processes *ps;
	struct loader *loader;
	struct samples *samples;
	struct stack_copy {
		struct ring_copy head;
		unsigned char *pages; /* from the page of rsp on */
		size_t process;       /* in ps->list */
	} * waiting;                  /* for their process, then for a table */
	size_t nr, alloc;
	struct stack_copies_part {
		uint64_t copy;
		uint32_t index;
		unsigned char *bytes;
	} * parts; /* pages whose head has not come */
	size_t nr_parts, parts_alloc;
	struct table stacks; /* copy -> stack in samples */
	uint64_t bytes;      /* of all that waits */
	uint64_t taken, cut; /* cut: no room to wait in */
};

void stack_copies_init(struct stack_copies *c, struct processes *ps, struct loader *loader,
	struct samples *samples);
void stack_copies_release(struct stack_copies *c);

void stack_copies_take_page(struct stack_copies *c, const struct ring_page *page);
/* A whole copy, taken from the process; it is unwound now or when its tables are there. */
void stack_copies_take(struct stack_copies *c, const struct ring_copy *head, size_t process);
/* Unwinds what can be unwound; with ALL the others as well, as far as it goes. */
void stack_copies_unwind(struct stack_copies *c, bool all);
/* The stack of that number was made otherwise. */
void stack_copies_put(struct stack_copies *c, uint64_t copy, uint32_t stack);
/* The stack in samples that becomes of a copy. */
uint32_t stack_copies_stack(struct stack_copies *c, uint64_t copy);

#endif
