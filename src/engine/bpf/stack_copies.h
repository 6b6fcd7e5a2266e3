/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks copied to user space as registers and memory, because the kernel did not have the unwind
 * tables for them yet. They are unwound here by the same rules.
 */
#ifndef ENGINE_BPF_STACK_COPIES_H
#define ENGINE_BPF_STACK_COPIES_H

#include "engine/condense.h"
#include "engine/samples.h"
#include "lib/table.h"
#include "loader.h"
#include "runtime/native.h"

#include <stdbool.h>

struct stack_copies {
	struct processes *ps;
	struct loader *loader;
	struct samples *samples;
	struct facet *layouts; /* see jit_layouts_init(); NULL by default */
	struct stack_copy {
		struct ring_copy head;
		unsigned char *pages; /* head.nr_pages pages; the first one holds REG_SP */
		uint64_t copied[COPY_PAGES / 64]; /* mask of the pages that were copied */
		size_t process;                   /* index in ps->list */
	} * waiting;                              /* for unwind tables */
	size_t nr, alloc;
	struct stack_copies_part {
		uint64_t copy;
		uint32_t index;
		unsigned char *bytes;
	} * parts; /* pages whose heads have not been read yet */
	size_t nr_parts, parts_alloc;
	struct code_page *code; /* the pages that were read last */
	/*
	 * The stacks in samples by number of the copy; `older` are not used since the last sweep.
	 */
	struct table stacks, older;
	uint64_t bytes;     /* of the waiting copies */
	uint64_t nr_copies; /* so far */
};

void stack_copies_init(struct stack_copies *c, struct processes *ps, struct loader *loader,
	struct samples *samples);
void stack_copies_release(struct stack_copies *c);

void stack_copies_add_page(struct stack_copies *c, const struct ring_page *page);
/*
 * Adds the copy whose pages were added before. PROCESS is an index in ps->list. The copy is unwound
 * at once, or later if a table is being built.
 */
void stack_copies_add(struct stack_copies *c, const struct ring_copy *head, size_t process);
/*
 * Unwinds the waiting copies that have their tables. With ALL, the other copies are also unwound,
 * as far as possible.
 */
void stack_copies_unwind(struct stack_copies *c, bool all);
/* Returns the time of the oldest waiting copy, or INT64_MAX if none waits. */
int64_t stack_copies_oldest(const struct stack_copies *c);
/* Sets the stack of a copy that is not unwound here. */
void stack_copies_set(struct stack_copies *c, uint64_t copy, uint32_t stack);
/* Returns the stack in samples of the copy, which is pending until the copy is unwound. */
uint32_t stack_copies_stack(struct stack_copies *c, uint64_t copy);
/*
 * Forgets the stacks that were used neither since the last call nor between that call and the one
 * before; their rows have been read.
 */
void stack_copies_sweep(struct stack_copies *c);
/* Takes the new numbers of its stacks from TO. */
void stack_copies_renumber(struct stack_copies *c, struct condense *to);

#endif
