/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a tool that records waits in user space; see wait_spans_bpf.h and struct bpf_tool.
 */
#ifndef TOOL_OFF_CPU_WAIT_SPANS_H
#define TOOL_OFF_CPU_WAIT_SPANS_H

#include <stdint.h>

struct tool_run;

/* Names the states. */
void wait_spans_begin(struct tool_run *run);
/* Returns the labels of a wait in STATE that lasted for the whole recording. */
uint32_t wait_spans_labels(struct tool_run *run, uint32_t state);
/* Adds the waits, and the runs, that have not ended. */
void wait_spans_add_open(struct tool_run *run, uint64_t now_ns);

#endif
