/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refusals of the kernel for want of rights, memory or files, which are no fault of the BPF
 * programs: errors of bpf(2), perf_event_open(2) and mmap(2) of their files.
 */
#ifndef ENGINE_BPF_REFUSAL_H
#define ENGINE_BPF_REFUSAL_H

#include <stdbool.h>

struct strbuf;

/* Returns what to do about ERROR, an errno, or NULL if it has another cause. */
const char *refusal_remedy(int error);

/*
 * Returns ERROR, or EMFILE if no more files can be opened: libbpf then goes on without a map, and
 * fails later with another error.
 */
int refusal_cause(int error);

/* Returns whether NR more files can be opened. */
bool refusal_has_files(unsigned nr);

/* Returns the remedy for the cause of ERROR, or OTHERWISE if there is none. */
const char *refusal_remedy_or(int error, const char *otherwise);

/* Appends ": ", the text of ERROR and what to do about it. Returns -1. */
int refusal_add(struct strbuf *err, int error);

#endif
