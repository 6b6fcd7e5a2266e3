/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's translated code (TCG) runs in one frame, below the C frame that entered it; its blocks
 * jump to each other.
 */
#ifndef RUNTIME_QEMU_JIT_QEMU_H
#define RUNTIME_QEMU_JIT_QEMU_H

#include <stdbool.h>

struct unwind_rule;

/*
 * Sets *RULE to the rule for translated code, by the 20 bytes at ENTRY. Returns false if these
 * bytes do not enter such code.
 */
bool jit_qemu_rule(const unsigned char *entry, struct unwind_rule *rule);

#endif
