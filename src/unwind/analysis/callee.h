/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What local functions do to their caller's registers. Assembly calls its own helpers with values
 * in registers that the ABI lets a callee change, rsp before it was aligned among them.
 */
#ifndef UNWIND_ANALYSIS_CALLEE_H
#define UNWIND_ANALYSIS_CALLEE_H

#include <stdint.h>

struct code_flow;

enum { CALLEE_WRITES_ALL = 0xffff };

/*
 * The general registers that the function at ADDRESS, or what it calls, may write, as a mask; all
 * of them if it leaves the code without unwind information, or if looking takes too long.
 */
uint32_t callee_writes(struct code_flow *f, uint64_t address);

#endif
