/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of what processes hold, such as blocks of memory: they end with the process, or when it
 * executes another program. The BPF programs include engine/bpf/kern/executed.h.
 */
#ifndef TOOL_ALLOC_HELD_H
#define TOOL_ALLOC_HELD_H

#include <stdbool.h>
#include <stdint.h>

struct programs;
struct span;
struct span_key;
struct tool_run;

struct held {
	int executed;   /* map */
	bool has_ended; /* a process has ended, or has executed a program */
	int64_t looked_ns;
};

void held_attach(struct held *h, const struct programs *programs);

/*
 * Returns whether the process of a span still has what it stands for. The command, whose end is the
 * end of the recording, has it after its end, too.
 */
bool held_is(const struct held *h, const struct tool_run *run, const struct span_key *key,
	const struct span *span);

/* Removes the spans of processes that have ended since the last call, at most once a second. */
void held_forget(struct held *h, struct tool_run *run);

#endif
