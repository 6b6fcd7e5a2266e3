/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's translated code (TCG) runs in one frame, below the C frame that entered it; its blocks
 * jump to each other.
 */
#ifndef RUNTIME_QEMU_JIT_QEMU_H
#define RUNTIME_QEMU_JIT_QEMU_H

#include "runtime/jit_find.h"

enum facet_state jit_qemu_find(const struct processes *ps, const struct process *p,
	const struct mapping *runtime, struct jit_layout *layout);

/*
 * Sets *RULE to the rule for translated code, by the 20 bytes at ENTRY. Returns false if these
 * bytes do not enter such code.
 */
bool jit_qemu_rule(const unsigned char *entry, struct unwind_rule *rule);

#endif
