/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds which registers local functions change. While assembly calls its own helpers, it may keep
 * values in registers that the ABI lets a callee change, for example the stack pointer before it
 * was aligned.
 */
#ifndef UNWIND_ANALYSIS_CALLEE_H
#define UNWIND_ANALYSIS_CALLEE_H

#include <stdint.h>

struct code_flow;

enum { CALLEE_WRITES_ALL = 0xffff };

/*
 * Returns the mask of the general registers that the function at ADDRESS and its callees may write.
 * These are all registers if the flow leaves the code without unwind information, or if the search
 * takes too long.
 */
uint32_t callee_writes(struct code_flow *f, uint64_t address);

#endif
