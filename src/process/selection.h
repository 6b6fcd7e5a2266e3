/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that are recorded because of what they are called or where they belong, also those that
 * start later.
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

/* A name of a task as two words: it matches if they are equal in MASK. */
struct comm_words {
	uint64_t word[2], mask[2];
};

/* NULL, or what to use instead: nothing can be called so. */
const char *selection_check(const struct selection *s);

/* Of a selection by comm: the name, cut as the kernel cuts it; a "*" at its end matches any rest.
 */
struct comm_words selection_comm(const struct selection *s);

struct selected_cgroup {
	uint64_t id;    /* as bpf_get_current_cgroup_id() returns it */
	uint32_t level; /* below the root of the hierarchy, 0: not known */
};

/* What matches now. */
struct selected {
	uint32_t *pids, *tids; /* tids: threads that match in processes that do not */
	size_t nr_pids, pids_alloc, nr_tids, tids_alloc;
	struct selected_cgroup *cgroups; /* without those below them */
	size_t nr_cgroups, cgroups_alloc;
	/* The cgroups are of the v2 hierarchy, so that the kernel can tell which task is in them.
	 */
	bool is_unified;
	bool has_v1; /* another hierarchy is mounted, too */
};

/* Where to look. */
struct selection_roots {
	const char *proc, *mountinfo; /* "/proc", "/proc/self/mountinfo" */
};
extern const struct selection_roots selection_system;

/*
 * Finds what matches, apart from this process. -1 and ERR: the name is ambiguous, or there is
 * nowhere to look; nothing is to be released then. Nothing may match.
 */
int selection_find(const struct selection *s, const struct selection_roots *roots,
	struct selected *found, struct strbuf *err);
void selected_release(struct selected *found);
bool selected_any(const struct selected *found);

/* Says that nothing matches, and what helps. */
int selection_refuse(const struct selection *s, struct strbuf *err);

#endif
