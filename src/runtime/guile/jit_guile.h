/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guile's compiled code runs in one frame, below the C frame that entered it; calls between Scheme
 * procedures are jumps.
 */
#ifndef RUNTIME_GUILE_JIT_GUILE_H
#define RUNTIME_GUILE_JIT_GUILE_H

#include "runtime/jit_find.h"

enum facet_state jit_guile_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout);

#endif
