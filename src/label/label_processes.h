/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of labels in the recorded processes: its layout in each, and the sets of labels that the
 * BPF programs send.
 */
#ifndef LABEL_LABEL_PROCESSES_H
#define LABEL_LABEL_PROCESSES_H

#include "label.h"
#include "process/facet.h"
#include "process/probe_point.h"

enum { LABEL_FUNCTIONS_MAX = 4 };

struct label_processes {
	struct facet facet; /* its data are struct label_process */
	const struct label_source
		*source; /* or NULL if none is recorded; all functions then do nothing */
	uint32_t keys;   /* bits of the labels that are recorded */
	bool count_ends; /* owners of samples are counted when they end */
	/* Functions of the source that are probed, in this order. */
	struct label_function {
		const char *name;
		const char *program; /* the BPF program that is called there */
		enum probe_value value;
		bool is_missing; /* it is missing in at least one process */
	} functions[LABEL_FUNCTIONS_MAX];
	size_t nr_functions;
	struct label_point {
		struct probe_point point;
		size_t function; /* index in functions */
	} * points;              /* one for each function and file with the source */
	size_t nr_points, points_alloc;
};

struct label_process {
	struct label_layout layout;
	void *names; /* of source->open */
};

void label_processes_init(struct label_processes *lp, const struct label_source *source,
	uint32_t keys, struct processes *ps);
void label_processes_release(struct label_processes *lp);

/*
 * Has FUNCTION probed in all processes with the source. To be called before any process is looked
 * at.
 */
void label_processes_probe(struct label_processes *lp, const struct label_function *function);

/*
 * Looks at all processes. With MUST, fails if none has the source; otherwise one may start later.
 */
int label_processes_find(struct label_processes *lp, bool must, struct strbuf *err);

/* Calls source->add_values for all processes that have the source and have not ended. */
int label_processes_add_values(const struct label_processes *lp, void **values, struct strbuf *err);

/* Returns true if the source was found in process PID. */
bool label_processes_found(const struct label_processes *lp, uint32_t pid);

/* Returns true if it was found, but the process does none of its work, like nginx's master. */
bool label_processes_unused(const struct label_processes *lp, uint32_t pid);

/* Has TAKER take the labels of SET. */
void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker);

#endif
