/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects processes and threads by their IDs and names. */
#ifndef MODEL_TASK_FILTER_H
#define MODEL_TASK_FILTER_H

#include "labels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct recording_view;
struct strbuf;

/* The keys of a label filter that selects tasks. */
#define TASK_PID "pid"
#define TASK_TID "tid"
#define TASK_COMM "comm"

struct task {
	uint64_t pid, tid; /* 0 if unknown */
	const char *comm;
	size_t len; /* 0 if COMM is unknown */
};

/* Returns true if the task has, for each key in F, one of its values. An unknown value is none. */
bool task_filter_matches(const struct label_filter *f, const struct task *task);

/*
 * Returns true unless VIEW selects tasks and REC has none of them. NOTES then list some of REC's
 * tasks.
 */
bool recording_has_tasks(
	const struct recording *rec, const struct recording_view *view, struct strbuf *notes);

#endif
