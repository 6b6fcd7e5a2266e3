/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's translated code (TCG) runs in one frame, below the C frame that entered it; its blocks
 * jump to each other.
 */
#ifndef ENGINE_JIT_JIT_QEMU_H
#define ENGINE_JIT_JIT_QEMU_H

#include "jit_find.h"

enum facet_state jit_qemu_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout);

/* Sets RULE to that of translated code, by the 20 bytes ENTRY; false: they do not enter it. */
bool jit_qemu_rule(const unsigned char *entry, struct unwind_rule *rule);

#endif
