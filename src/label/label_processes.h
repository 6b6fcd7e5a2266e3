/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A source of labels in the recorded processes: its layout in each, and the sets of labels that the
 * BPF programs send.
 */
#ifndef LABEL_LABEL_PROCESSES_H
#define LABEL_LABEL_PROCESSES_H

#include "label.h"
#include "lib/table.h"
#include "process/probe_point.h"
#include "process/process.h"

enum { LABEL_FUNCTIONS_MAX = 4 };

struct label_processes {
	const struct label_source *source; /* NULL: none is recorded, all functions do nothing */
	uint32_t keys;                     /* bits of the labels that are recorded */
	struct processes *ps;
	int map; /* fd of the programs' map of layouts, -1: none yet */
	struct label_process {
		uint32_t pid;
		uint64_t process; /* its unique number, as PIDs are used again */
		unsigned changes; /* of its mappings, when last searched */
		int64_t began_ns;
		int64_t looked_ns, look_took_ns; /* the last search */
		enum { SOURCE_NEW, SOURCE_NONE, SOURCE_FOUND, SOURCE_REFUSED } state;
		bool is_reported; /* among the refusals */
		struct label_layout layout;
		void *names; /* as source->open */
	} * list;
	size_t nr, alloc;
	bool count_ends; /* what samples belong to is counted when it ends */
	/* Functions of the source that are probed, in this order. */
	struct label_function {
		const char *name;
		const char *program; /* of BPF, which is called there */
		enum probe_value value;
		bool is_missing; /* in a process */
	} functions[LABEL_FUNCTIONS_MAX];
	size_t nr_functions;
	struct label_point {
		struct probe_point point;
		size_t function; /* index */
	} * points;              /* one of each function for each file with the source */
	size_t nr_points, points_alloc;
	bool any;                /* the source was found in a process */
	struct table by_pid;     /* pid -> index in list */
	struct strbuf *refusals; /* why it cannot be read in a process, one per line */
};

/* REFUSALS belongs to the caller. */
void label_processes_init(struct label_processes *lp, const struct label_source *source,
	uint32_t keys, struct processes *ps, struct strbuf *refusals);
void label_processes_release(struct label_processes *lp);

/* Has a function probed in all processes with the source; before any is looked at. */
void label_processes_probe(struct label_processes *lp, const struct label_function *function);

/* As source->find. */
int label_processes_look(struct label_processes *lp, const struct process *p, struct strbuf *err);

/*
 * Looks at all processes. -1 and ERR: none has the source; with MUST unset that is no failure, as
 * one may start later.
 */
int label_processes_find(struct label_processes *lp, bool must, struct strbuf *err);

/* As source->add_values, of all processes that have the source and have not ended. */
int label_processes_add_values(const struct label_processes *lp, void **values, struct strbuf *err);

/* Writes the layouts to the programs' MAP from now on. */
void label_processes_start(struct label_processes *lp, int map);

/*
 * Searches processes that are new, whose mappings have changed, or whose layout is not verified.
 * True: some have just started, so it should be called again soon.
 */
bool label_processes_update(struct label_processes *lp);

/* Process events: another program runs in it; it has ended. */
void label_processes_executed(struct label_processes *lp, uint32_t pid);
void label_processes_ended(struct label_processes *lp, uint32_t pid);

/* Forgets processes that have ended, when all rows of theirs have been read. */
void label_processes_sweep(struct label_processes *lp);

/* True if the source was found in process PID. */
bool label_processes_found(const struct label_processes *lp, uint32_t pid);

/* True if it was found, but the process does none of its work: nginx's master. */
bool label_processes_unused(const struct label_processes *lp, uint32_t pid);

/* Has TAKER take the labels of SET. */
void label_processes_take(const struct label_processes *lp, const struct label_new_set *set,
	const struct label_taker *taker);

#endif
