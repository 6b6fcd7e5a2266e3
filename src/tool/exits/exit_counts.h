/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts in the kernel how often LuaJIT's traces are left, by a uprobe. */
#ifndef TOOL_EXITS_EXIT_COUNTS_H
#define TOOL_EXITS_EXIT_COUNTS_H

#include "trace_exits.h"

#include <stdbool.h>
#include <stdint.h>

struct bpf_object;
struct bpf_link;
struct strbuf;

struct exit_counts {
	struct bpf_object *object;
	struct bpf_link *link;
};

/* Where the probe is. */
struct exit_counts_probe {
	uint32_t pid;
	const char *path; /* the file, as we see it */
	uint64_t offset;  /* in the file */
	struct exits_settings settings;
};

/* From then on exits are counted. -1 and ERR: why not, and what to do. To be ended in any case. */
int exit_counts_begin(
	struct exit_counts *t, const struct exit_counts_probe *probe, struct strbuf *err);

/* Counts no exits after that monotonic time. */
void exit_counts_until(struct exit_counts *t, int64_t time_ns);

/* Takes the probe away; what was counted stays. */
void exit_counts_stop(struct exit_counts *t);
void exit_counts_release(struct exit_counts *t);

/* The exit after KEY, of those that were seen so far, in no order; NULL: the first. False: none. */
bool exit_counts_next(const struct exit_counts *t, const struct exit_key *key,
	struct exit_key *next, struct exit_value *value);

/* Exits that were not counted. */
uint64_t exit_counts_lost(const struct exit_counts *t);

#endif
