/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tools that measure waits have in common in user space; see wait_parts_bpf.h. */
#ifndef TOOL_OFF_CPU_WAIT_PARTS_H
#define TOOL_OFF_CPU_WAIT_PARTS_H

#include <stdint.h>

struct tool_run;

/* Names the states of waits. */
void wait_parts_begin(struct tool_run *run);

/* Adds the waits that have not ended at NOW_NS. */
void wait_parts_add_open(struct tool_run *run, uint64_t now_ns);

#endif
