/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a tool that records waits in user space; see wait_spans_bpf.h and struct bpf_tool.
 */
#ifndef TOOL_OFF_CPU_WAIT_SPANS_H
#define TOOL_OFF_CPU_WAIT_SPANS_H

#include <stdint.h>

struct programs;
struct strbuf;
struct tool_run;

/* The beginning of the data of a tool that records waits. */
struct wait_spans {
	int preemptors; /* map of their names */
};

/* Names the states. Allocates the data of a tool that has allocated none. */
void wait_spans_begin(struct tool_run *run);
int wait_spans_attach(struct tool_run *run, struct programs *programs, struct strbuf *err);
/* Returns the labels of a wait with more than a state; see WAIT_NEVER_RAN. */
uint32_t wait_spans_labels(struct tool_run *run, uint32_t value);
/* Adds the waits, and the runs, that have not ended. */
void wait_spans_add_open(struct tool_run *run, uint64_t now_ns);
void wait_spans_release(struct tool_run *run);

#endif
