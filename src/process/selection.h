/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that are recorded because of their name, cgroup, container or unit, including processes
 * that start later.
 */
#ifndef PROCESS_SELECTION_H
#define PROCESS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

enum selection_kind { SELECT_NONE, SELECT_COMM, SELECT_CGROUP, SELECT_CONTAINER, SELECT_UNIT };

struct selection {
	enum selection_kind kind;
	const char *name;
};

/* A name of a task as two words. A task matches if the words are equal in MASK. */
struct comm_words {
	uint64_t word[2], mask[2];
};

/* Returns NULL or, if nothing can have this name, what to use instead. */
const char *selection_check(const struct selection *s);

/*
 * Returns the name of a selection by comm, cut as the kernel cuts it. A "*" at its end matches any
 * rest.
 */
struct comm_words selection_comm(const struct selection *s);

struct selected_cgroup {
	uint64_t id;    /* as bpf_get_current_cgroup_id() returns it */
	uint32_t level; /* below the root of the hierarchy, or 0 if it is not known */
};

/* What matches at the time of the call. */
struct selected {
	uint32_t *pids, *tids; /* tids has matching threads in processes that do not match */
	size_t nr_pids, pids_alloc, nr_tids, tids_alloc;
	struct selected_cgroup *cgroups; /* without the cgroups below them */
	size_t nr_cgroups, cgroups_alloc;
	/* The cgroups are in the v2 hierarchy, so the kernel can tell which tasks are in them. */
	bool is_unified;
	bool has_v1; /* another hierarchy is mounted, too */
};

/* Where to search. */
struct selection_roots {
	const char *proc, *mountinfo; /* "/proc", "/proc/self/mountinfo" */
};
extern const struct selection_roots selection_system;

/*
 * Finds what matches, except this process. Nothing may match. Returns -1 and sets ERR if the name
 * is ambiguous, or there is nowhere to search; nothing is to be released then.
 */
int selection_find(const struct selection *s, const struct selection_roots *roots,
	struct selected *found, struct strbuf *err);
void selected_release(struct selected *found);
bool selected_any(const struct selected *found);

/* Says in ERR that nothing matches, and what helps. Returns -1. */
int selection_refuse(const struct selection *s, struct strbuf *err);

#endif
