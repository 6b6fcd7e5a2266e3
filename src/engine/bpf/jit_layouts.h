/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facet that tells how to unwind the code that processes compile at run time. */
#ifndef ENGINE_BPF_JIT_LAYOUTS_H
#define ENGINE_BPF_JIT_LAYOUTS_H

#include "process/facet.h"
#include "process/process.h"
#include "runtime/jit_layout.h"

void jit_layouts_init(struct facet *f, struct processes *ps);

/*
 * Returns the layout of P, after another look if its mappings have changed, or NULL if it has none.
 * The layout is valid until the next call. It is published before the mappings are.
 */
const struct jit_layout *jit_layouts_of(struct facet *f, const struct process *p);

#endif
