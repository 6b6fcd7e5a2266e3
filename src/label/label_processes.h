/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sources of labels in the recorded processes: which one a process has and its layout there,
 * and the sets of labels that the BPF programs send.
 */
#ifndef LABEL_LABEL_PROCESSES_H
#define LABEL_LABEL_PROCESSES_H

#include "label.h"
#include "process/facet.h"
#include "process/probe_point.h"

enum { LABEL_FUNCTIONS_MAX = 4 };

struct label_processes {
	struct facet facet; /* its data are struct label_process */
	struct chosen_sources chosen;
	uint32_t found;                     /* a bit for each choice that a process has */
	const struct label_source *counted; /* its owners are counted at their end; or NULL */
	/* Functions that are probed, in this order. */
	struct label_function {
		const struct label_source *source;
		const char *name;
		const char *program; /* the BPF program that is called there */
		enum probe_value value;
		bool is_missing; /* it is missing in at least one process */
	} functions[LABEL_FUNCTIONS_MAX];
	size_t nr_functions;
	struct label_point {
		struct probe_point point;
		size_t function; /* index in functions */
	} * points;              /* one for each function and file with its source */
	size_t nr_points, points_alloc;
};

struct label_process {
	const struct label_source *source;
	struct label_layout layout;
	void *names; /* of source->open */
};

/* With no chosen sources, all functions do nothing. */
void label_processes_init(
	struct label_processes *lp, const struct chosen_sources *chosen, struct processes *ps);
void label_processes_release(struct label_processes *lp);

/*
 * Has FUNCTION probed in all processes with its source. To be called before any process is looked
 * at.
 */
void label_processes_probe(struct label_processes *lp, const struct label_function *function);

/*
 * Looks at all processes. With MUST, fails if none has one of the sources; otherwise one may start
 * later.
 */
int label_processes_find(struct label_processes *lp, bool must, struct strbuf *err);

/* Calls source->add_values for all processes that have a source and have not ended. */
int label_processes_add_values(const struct label_processes *lp, void **values, struct strbuf *err);

/* Returns the source of process PID, or NULL if it has none. */
const struct label_source *label_processes_source(const struct label_processes *lp, uint32_t pid);

/* Returns whether a process has this source. */
bool label_processes_any(const struct label_processes *lp, const struct label_source *source);

/* Returns whether process PID has a source but does none of its work, like nginx's master. */
bool label_processes_unused(const struct label_processes *lp, uint32_t pid);

/* Has TAKER take the labels of SET. */
void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker);
/* Has TAKER take the labels that all samples of process PID have, besides the PID. */
void label_processes_take_own(
	const struct label_processes *lp, uint32_t pid, const struct label_taker *taker);

#endif
