/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts the exits from LuaJIT's traces in the kernel, with a uprobe. */
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

/* The place of the probe. */
struct exit_counts_probe {
	uint32_t pid;
	const char *path; /* the file, as this process sees it */
	uint64_t offset;  /* in the file */
	struct exits_settings settings;
};

/*
 * Begins to count exits. Returns -1 on error; ERR then tells the reason and what to do. Call
 * exit_counts_release() in any case.
 */
int exit_counts_begin(
	struct exit_counts *t, const struct exit_counts_probe *probe, struct strbuf *err);

/* Stops counting at the monotonic time TIME_NS. */
void exit_counts_until(struct exit_counts *t, int64_t time_ns);

/* Removes the probe and keeps the counts. */
void exit_counts_stop(struct exit_counts *t);
void exit_counts_release(struct exit_counts *t);

/*
 * Reads the entry that follows KEY, or the first one if KEY is NULL, in no particular order.
 * Returns false if there are no more.
 */
bool exit_counts_next(const struct exit_counts *t, const struct exit_key *key,
	struct exit_key *next, struct exit_value *value);

/* Returns how many exits were not counted. */
uint64_t exit_counts_lost(const struct exit_counts *t);

#endif
