/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes and threads that a recording was asked for. */
#ifndef ENGINE_BPF_TARGETS_H
#define ENGINE_BPF_TARGETS_H

#include "process/selection.h"

#include <stdbool.h>
#include <stdint.h>

struct engine_request;
struct processes;
struct programs;
struct settings;
struct strbuf;

struct targets {
	const struct engine_request *request;
	struct selected selected; /* found last, if there is a selection */
	/*
	 * Selected processes may be in a v1 hierarchy, which the programs do not know; they follow
	 * processes then.
	 */
	bool by_pids;
	int64_t again_ns; /* when to search for the selection again */
};

/*
 * Adds the running targets of R to PS, with their mappings. If all processes are targets, stops at
 * END_NS (monotonic), unless an interpreter has to be found in each. Returns -1 with ERR if a
 * target does not exist or belongs to another user. T must be all zero, and is to be released in
 * any case; R must outlive it.
 */
int targets_scan(struct targets *t, const struct engine_request *r, struct processes *ps,
	int64_t end_ns, struct strbuf *err);
/*
 * Returns whether processes are looked at only when they have a sample or fork: in a continuous
 * recording of all processes at a low rate most of them never do, and each look costs.
 */
bool targets_come_by_samples(const struct engine_request *request);

/*
 * If all processes are recorded, adds the processes that are not known yet, until END_NS. To be
 * called again once events are reported; from then on no process is missed, nor its descendants.
 * Adds none if they come by their samples.
 */
void targets_scan_all(const struct targets *t, struct processes *ps, int64_t end_ns);
void targets_release(struct targets *t);

/* Sets the settings that say which tasks are targets. */
void targets_settings(const struct targets *t, struct settings *s);

/* Publishes the targets to the BPF programs. Returns -1 with ERR if there are too many. */
int targets_publish(const struct targets *t, const struct programs *programs, struct strbuf *err);

/*
 * Publishes the children that were started before the programs followed children, and adds them to
 * PS. To be called once the programs follow children.
 */
int targets_publish_children(const struct targets *t, const struct programs *programs,
	struct processes *ps, struct strbuf *err);

/*
 * Publishes cgroups and processes that have come since the last search, if another search is due.
 */
void targets_update(struct targets *t, const struct programs *programs);

#endif
