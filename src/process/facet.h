/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A facet is one subject that is known of processes besides their mappings, such as the interpreter
 * in them or their cgroup. Here it is decided when a facet looks at a process; what it has found is
 * kept, published to the BPF programs, and dropped when the process ends or executes a program.
 */
#ifndef PROCESS_FACET_H
#define PROCESS_FACET_H

#include "lib/strbuf.h"
#include "lib/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct processes;

enum facet_state {
	FACET_NEW,   /* the process has not been looked at */
	FACET_NONE,  /* its mapped files do not have the subject */
	FACET_EARLY, /* they have it, but it is not initialised */
	FACET_FOUND,
	FACET_REFUSED, /* it is there, but cannot be used */
};

/* When to look at a process again although its mappings have not changed. */
enum facet_again {
	FACET_NEVER,
	FACET_WHILE_YOUNG, /* every 20 ms in the first second of the subject, and once after it */
	FACET_LATER,       /* every second, but for at most a hundredth of the time */
	FACET_SOON,        /* as FACET_WHILE_YOUNG, and then as FACET_LATER */
};

/* What is known of one process. */
struct facet_entry {
	uint32_t pid;
	uint64_t process; /* its unique number, or 0 if only its fork is known */
	size_t place;     /* in processes.list */
	uint64_t program; /* in which a published subject was found, or 0, see task_program() */
	enum facet_state state;
	enum facet_again again;
	bool is_reported; /* among the refusals */
	unsigned changes; /* of its mappings, at the last look */
	int64_t began_ns; /* when the process, its program or the subject in it was first seen */
	int64_t looked_ns, look_took_ns;
	void *data; /* of the facet: ops->size bytes, zero at first */
};

struct facet;

/* Functions that a facet does not need are NULL. */
struct facet_ops {
	size_t size;     /* of an entry's data */
	bool is_eager;   /* mappings of new processes are to be known within 20 ms */
	bool is_lazy;    /* changed mappings are not looked at before facet_current() is called */
	bool is_patient; /* a process is reported only if it is refused when no longer young */
	bool is_owned;   /* facets_free() releases and frees the facet */

	/*
	 * Looks at process P. Sets the data of E if the subject was found, E->again unless a change
	 * of the mappings is enough for the next look, and WHY if it was refused. Without this
	 * function, only the facet itself adds entries, by facet_entry().
	 */
	enum facet_state (*look)(struct facet *f, const struct process *p, struct facet_entry *e,
		struct strbuf *why);
	/* Releases what the data of E refer to, before they are zeroed or freed. */
	void (*clear)(struct facet *f, struct facet_entry *e);
	/* Returns the value to publish for a process in which the subject was found. */
	const void *(*value)(struct facet *f, const struct facet_entry *e);

	/* Events of processes, which need not be known. TIME_NS is monotonic. */
	void (*forked)(struct facet *f, uint32_t parent, uint32_t child, int64_t time_ns);
	void (*executed)(struct facet *f, uint32_t pid);
	void (*ended)(struct facet *f, uint32_t pid);

	/* Called in each round of a recording, after the looks. */
	void (*update)(struct facet *f);
	/* Forgets ended processes, when all their samples have been read. */
	void (*sweep)(struct facet *f);
	/*
	 * Takes what only running processes can tell, at the end of a recording. USED[N] is set for
	 * each mapping N with frames. Appends to NOTES what could not be had.
	 */
	void (*finish)(struct facet *f, const bool *used, struct strbuf *notes);
	/* Appends what is missing of the recording, a line each. */
	void (*note)(const struct facet *f, struct strbuf *notes);
};

struct facet {
	const struct facet_ops *ops;
	const char *title; /* of the subject, in messages */
	struct processes *ps;
	int map; /* fd of the BPF map from PIDs to values, or -1 if nothing is published */
	struct facet_entry *list;
	size_t nr, alloc;
	struct table by_pid;    /* pid -> index in list */
	size_t nr_again;        /* entries that are to be looked at again */
	int64_t youngest_ns;    /* the latest began_ns */
	bool any;               /* the subject was found in a process */
	struct strbuf refusals; /* a line each */
};

/* TITLE and PS must outlive the facet, and may be NULL for a facet that has no entries. */
void facet_init(
	struct facet *f, const struct facet_ops *ops, const char *title, struct processes *ps);
void facet_release(struct facet *f);

/* Returns the entry of P, which is added if there is none. Valid until the next call. */
struct facet_entry *facet_entry(struct facet *f, const struct process *p);
/* Returns the entry of process PID, or NULL if there is none. */
struct facet_entry *facet_known(const struct facet *f, uint32_t pid);
/* Returns the entry of process PID if the subject was found in it, or else NULL. */
struct facet_entry *facet_found(const struct facet *f, uint32_t pid);
/* Returns the process of an entry, which may have ended, or NULL if it was forgotten. */
struct process *facet_process(const struct facet *f, const struct facet_entry *e);

/* Returns the entry of P, after a look if P is new or its mappings have changed. */
const struct facet_entry *facet_current(struct facet *f, const struct process *p);
/*
 * Adds an entry for CHILD, a new process of PARENT, in which the subject was found, as in PARENT.
 */
void facet_inherit(struct facet *f, uint32_t parent, uint32_t child);
/*
 * Looks at all processes, and reports those that were refused. With MUST it waits for processes
 * that have just started, and fails if the subject is found in none: returns -1 and ERR if one was
 * refused, or else 1.
 */
int facet_look_at_all(struct facet *f, bool must, struct strbuf *err);
/* Publishes in MAP, a BPF map's fd, what was found, and from now on what is found. */
void facet_start(struct facet *f, int map);

/* The facets of a recording, which belong to the caller unless ops->is_owned. */
enum { FACETS_MAX = 8 };
struct facets {
	struct facet *list[FACETS_MAX];
	size_t nr;
};

void facets_add(struct facets *fs, struct facet *f);
void facets_free(const struct facets *fs);
void facets_forked(const struct facets *fs, uint32_t parent, uint32_t child, int64_t time_ns);
void facets_executed(const struct facets *fs, uint32_t pid);
void facets_ended(const struct facets *fs, uint32_t pid);
/*
 * Looks at processes for which it is time. Returns true if some are so young that this should be
 * called again soon.
 */
bool facets_update(const struct facets *fs);
void facets_sweep(const struct facets *fs);
void facets_finish(const struct facets *fs, const bool *used, struct strbuf *notes);
void facets_note(const struct facets *fs, struct strbuf *notes);

#endif
