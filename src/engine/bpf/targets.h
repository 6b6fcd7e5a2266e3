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
	struct selected selected; /* of a selection: what was found last */
	/* Its processes may be in a v1 hierarchy, which the programs do not know: they follow
	 * processes. */
	bool by_pids;
	int64_t again_ns; /* a selection is not searched again before */
};

/*
 * Adds those of R that run to PS, with their mappings; for all processes stops at END_NS
 * (monotonic), unless an interpreter has to be found in each. -1 and ERR: one is not there, or
 * another user's. T must be all zero, and is to be released in any case; R must outlive it.
 */
int targets_scan(struct targets *t, const struct engine_request *r, struct processes *ps,
	int64_t end_ns, struct strbuf *err);
/*
 * If all processes are recorded, adds those that are not known yet, until END_NS. To be called
 * again once events are reported: from then on no process is missed, nor its descendants.
 */
void targets_scan_all(const struct targets *t, struct processes *ps, int64_t end_ns);
void targets_release(struct targets *t);

/* Sets those of the settings that say which tasks are targets. */
void targets_settings(const struct targets *t, struct settings *s);

/* Tells the BPF programs which they are. -1 and ERR: there are too many. */
int targets_publish(const struct targets *t, const struct programs *programs, struct strbuf *err);

/*
 * Once the programs follow what recorded processes start: tells them of children that were started
 * before, and adds these to PS.
 */
int targets_publish_children(const struct targets *t, const struct programs *programs,
	struct processes *ps, struct strbuf *err);

/* Now and then: tells the programs of cgroups and their processes that have come since. */
void targets_update(struct targets *t, const struct programs *programs);

#endif
