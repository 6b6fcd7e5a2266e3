/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that came up as copies of registers and memory, because the tables they need were not in
 * the kernel yet. They are unwound here, by the same rules.
 */
#ifndef ENGINE_BPF_COPIES_H
#define ENGINE_BPF_COPIES_H

#include "engine/samples.h"
#include "lib/table.h"
#include "loader.h"

#include <stdbool.h>

struct copies {
	struct processes *ps;
	struct loader *loader;
	struct samples *samples;
	struct copy {
		struct ring_copy head;
		unsigned char *pages; /* from the page of rsp on */
		size_t process;       /* in ps->list */
	} * waiting;                  /* for their process, then for a table */
	size_t nr, alloc;
	struct copies_part {
		uint64_t copy;
		uint32_t index;
		unsigned char *bytes;
	} * parts; /* pages whose head has not come */
	size_t nr_parts, parts_alloc;
	struct table stacks; /* copy -> stack in samples */
	uint64_t bytes;      /* of all that waits */
	uint64_t taken, cut; /* cut: no room to wait in */
};

void copies_init(
	struct copies *c, struct processes *ps, struct loader *loader, struct samples *samples);
void copies_release(struct copies *c);

void copies_take_page(struct copies *c, const struct ring_page *page);
/* A whole copy, taken from the process; it is unwound now or when its tables are there. */
void copies_take(struct copies *c, const struct ring_copy *head, size_t process);
/* Unwinds what can be unwound; with ALL the others as well, as far as it goes. */
void copies_unwind(struct copies *c, bool all);
/* The stack of that number was made otherwise. */
void copies_put(struct copies *c, uint64_t copy, uint32_t stack);
/* The stack in samples that becomes of a copy. */
uint32_t copies_stack(struct copies *c, uint64_t copy);

#endif
