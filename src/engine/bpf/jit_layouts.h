/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the code that processes compile at run time is unwound, published to the BPF programs. */
#ifndef ENGINE_BPF_JIT_LAYOUTS_H
#define ENGINE_BPF_JIT_LAYOUTS_H

#include "process/process.h"
#include "unwind/jit_layout.h"

struct jit_layouts {
	struct processes *ps;
	int map; /* fd: pid -> struct jit_layout; -1: none yet */
	struct jit_layouts_entry {
		uint64_t id;      /* of the process */
		unsigned changes; /* of its mappings, when last searched */
		bool looked, later;
		int64_t looked_ns;
		unsigned nr_looks; /* without result */
		struct jit_layout layout;
	} * entries; /* by index in ps->list */
	size_t nr;
	size_t nr_later; /* processes to be searched again */
};

void jit_layouts_init(struct jit_layouts *j, struct processes *ps);
void jit_layouts_release(struct jit_layouts *j);

/* The layout of P, found when its mappings have changed; NULL: none. Valid until the next call. */
const struct jit_layout *jit_layouts_of(struct jit_layouts *j, const struct process *p);

/* Publishes the layout of P, or that it has none: before its mappings are. */
void jit_layouts_publish(struct jit_layouts *j, const struct process *p);

/* For a process that runs another program, or has ended. */
void jit_layouts_remove(struct jit_layouts *j, const struct process *p);

/*
 * A runtime that was not initialised is searched again from time to time. True: P's has been found,
 * so that its mappings are to be published again.
 */
bool jit_layouts_retry(struct jit_layouts *j, const struct process *p);

#endif
