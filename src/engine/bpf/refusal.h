/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel refuses for want of rights, memory or files, which is no fault of the BPF
 * programs: errors of bpf(2), perf_event_open(2) and mmap(2) of what they return.
 */
#ifndef ENGINE_BPF_REFUSAL_H
#define ENGINE_BPF_REFUSAL_H

#include <stdbool.h>

struct strbuf;

/* What to do about ERROR, an errno; NULL: it has no such cause. */
const char *refusal_remedy(int error);

/* ERROR, or EMFILE if no more files can be opened: libbpf goes on without a map and fails later. */
int refusal_cause(int error);

/* True if NR more files can be opened. */
bool refusal_has_files(unsigned nr);

/* The remedy of the cause of ERROR, or OTHERWISE. */
const char *refusal_remedy_or(int error, const char *otherwise);

/* Appends ": ", the text of ERROR and what to do about it. Returns -1. */
int refusal_add(struct strbuf *err, int error);

#endif
