/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "targets.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "kern/shared.h"
#include "process/descendants.h"
#include "process/process.h"
#include "process/task.h"
#include "programs.h"
#include "runtime/vm.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FIRST_CGROUP_NAMESPACE 0xeffffffb /* PROC_CGROUP_INIT_INO */

enum {
	AGAIN_MS = 500,     /* between two searches for selected processes and cgroups */
	SEARCH_SHARE = 100, /* searching takes at most 1/100 of the time */
	LOOKS = 8,          /* searches for children, at most */
	LOW_HZ = 100,       /* highest rate at which processes come by samples */
};

/* Opens the mapped files of a target, so that its frames can be named after it has ended. */
static int scan_target(struct processes *ps, uint32_t tid, struct strbuf *err)
{
	uint32_t pid = task_process(tid);
	struct process *p = processes_get(ps, pid ? pid : tid);

	if (p->generation)
		return 0;
	process_scan(ps, p, err);
	return fail(err, "; %s", task_refusal(tid));
}

/* Checks that /proc shows the recorder's PID namespace, as the kernel's events do. */
static int check_pid_namespace(struct strbuf *err)
{
	if (task_numbers_ours())
		return 0;
	return fail(err, "/proc is not there, or that of another pid namespace: mount this one's, "
			 "as unshare --mount-proc does");
}

static int find_selected(struct targets *t, struct strbuf *err)
{
	const struct selection *s = &t->request->selection;

	if (selection_find(s, &selection_system, &t->selected, err))
		return -1;
	if (!t->request->command && !selected_any(&t->selected))
		return selection_refuse(s, err);
	t->by_pids = t->selected.has_v1;
	return 0;
}

/* Adds the selected processes. A process that cannot be read may have ended, which is no error. */
static void scan_selected(const struct targets *t, struct processes *ps)
{
	for (size_t i = 0; i < t->selected.nr_pids; i++)
		processes_get(ps, t->selected.pids[i]);
	for (size_t i = 0; i < t->selected.nr_tids; i++) {
		uint32_t pid = task_process(t->selected.tids[i]);

		if (pid)
			processes_get(ps, pid);
	}
}

static void scan_children(const struct targets *t, struct processes *ps)
{
	const struct engine_request *r = t->request;
	size_t nr;
	uint32_t *pids = descendants("/proc", r->pids, r->nr_pids, &nr);

	for (size_t i = 0; i < nr; i++)
		processes_get(ps, pids[i]);
	free(pids);
}

bool targets_come_by_samples(const struct engine_request *r)
{
	return r->windows && r->all && r->user && !r->vms && !r->labels.nr &&
	       programs_hz(r) <= LOW_HZ;
}

void targets_scan_all(const struct targets *t, struct processes *ps, int64_t end_ns)
{
	const struct engine_request *r = t->request;

	if (r->all && (r->user || r->vms) && !targets_come_by_samples(r))
		processes_get_all(ps, end_ns);
}

int targets_scan(struct targets *t, const struct engine_request *r, struct processes *ps,
	int64_t end_ns, struct strbuf *err)
{
	t->request = r;
	if (check_pid_namespace(err))
		return -1;
	if (r->selection.kind) {
		if (find_selected(t, err))
			return -1;
		scan_selected(t, ps);
	}
	for (size_t i = 0; i < r->nr_tids; i++)
		if (scan_target(ps, r->tids[i], err))
			return -1;
	for (size_t i = 0; i < r->nr_pids && !r->command; i++)
		if (scan_target(ps, r->pids[i], err))
			return -1;
	if (r->children && !r->command)
		scan_children(t, ps);
	targets_scan_all(t, ps, r->vms ? INT64_MAX : end_ns);
	return 0;
}

void targets_release(struct targets *t)
{
	selected_release(&t->selected);
}

void targets_settings(const struct targets *t, struct settings *s)
{
	const struct engine_request *r = t->request;

	s->all = r->all;
	s->pids = r->nr_pids || t->by_pids;
	s->tids = r->nr_tids;
	s->children = r->children || t->by_pids;
	s->only_vm = r->vms && !r->user && (r->all || r->selection.kind || !vm_only(r->vms));
	s->by_comm = r->selection.kind == SELECT_COMM;
	s->by_cgroup = r->selection.kind && !s->by_comm;
	if (s->by_comm) {
		struct comm_words words = selection_comm(&r->selection);

		memcpy(s->comm, words.word, sizeof(s->comm));
		memcpy(s->comm_mask, words.mask, sizeof(s->comm_mask));
	}
}

static int publish_ids(const struct programs *programs, const char *map, const uint32_t *ids,
	size_t nr, struct strbuf *err)
{
	uint32_t yes = 1;

	for (size_t i = 0; i < nr; i++)
		if (bpf_map_update_elem(programs_map(programs, map), &ids[i], &yes, BPF_ANY))
			return fail(err, "too many %s match; record all with -a",
				strcmp(map, "target_tids") ? "processes" : "threads");
	return 0;
}

/*
 * Returns whether all cgroups are visible. Otherwise the visible level of a cgroup may differ from
 * the kernel's.
 */
static bool sees_all_cgroups(void)
{
	struct stat st;

	return !stat("/proc/self/ns/cgroup", &st) && st.st_ino == FIRST_CGROUP_NAMESPACE;
}

static int publish_cgroups(
	const struct targets *t, const struct programs *programs, struct strbuf *err)
{
	const struct selected *found = &t->selected;
	uint32_t yes = 1, levels = 0;
	bool known = sees_all_cgroups();

	for (size_t i = 0; i < found->nr_cgroups; i++) {
		uint32_t level = found->cgroups[i].level;

		if (bpf_map_update_elem(programs_map(programs, "target_cgroups"),
			    &found->cgroups[i].id, &yes, BPF_ANY))
			return fail(err, "too many cgroups match; give one further down, or record "
					 "all with -a");
		levels |= known && level && level < 32 ? 1U << level : UINT32_MAX;
	}
	programs->control->cgroup_levels |= levels;
	return 0;
}

/* Forgets the cgroups in BEFORE that are not in FOUND. A unit gets a new cgroup at each start. */
static void forget_cgroups(const struct selected *before, const struct selected *found,
	const struct programs *programs)
{
	for (size_t i = 0; i < before->nr_cgroups; i++) {
		uint64_t id = before->cgroups[i].id;
		size_t k = 0;

		while (k < found->nr_cgroups && found->cgroups[k].id != id)
			k++;
		if (k == found->nr_cgroups)
			bpf_map_delete_elem(programs_map(programs, "target_cgroups"), &id);
	}
}

static int publish_selected(
	const struct targets *t, const struct programs *programs, struct strbuf *err)
{
	if (t->by_pids)
		return publish_ids(
			programs, "target_pids", t->selected.pids, t->selected.nr_pids, err);
	return publish_cgroups(t, programs, err);
}

int targets_publish(const struct targets *t, const struct programs *programs, struct strbuf *err)
{
	const struct engine_request *r = t->request;

	if (r->selection.kind)
		return publish_selected(t, programs, err);
	if (r->command)
		programs->control->command = r->pids[0];
	else if (publish_ids(programs, "target_pids", r->pids, r->nr_pids, err))
		return -1;
	return publish_ids(programs, "target_tids", r->tids, r->nr_tids, err);
}

int targets_publish_children(const struct targets *t, const struct programs *programs,
	struct processes *ps, struct strbuf *err)
{
	const struct engine_request *r = t->request;
	size_t nr, before = 0;
	int ret = 0;

	if (!r->children || r->command)
		return 0;
	/*
	 * the children of a child are followed only once it is published, so look again for new
	 * ones
	 */
	for (int i = 0; i < LOOKS && !ret; i++) {
		uint32_t *pids = descendants("/proc", r->pids, r->nr_pids, &nr);

		ret = publish_ids(programs, "target_pids", pids, nr, err);
		for (size_t k = 0; k < nr && !ret; k++)
			processes_get(ps, pids[k]);
		free(pids);
		if (i && nr <= before)
			break;
		before = nr;
	}
	return ret;
}

void targets_update(struct targets *t, const struct programs *programs)
{
	const struct selection *s = &t->request->selection;
	struct strbuf ignored = STRBUF_INIT;
	int64_t began = monotonic_ns(), cpu = cpu_time_ns();
	struct selected found;

	if (!s->kind || s->kind == SELECT_COMM || began < t->again_ns)
		return;
	if (!selection_find(s, &selection_system, &found, &ignored)) {
		forget_cgroups(&t->selected, &found, programs);
		selected_release(&t->selected);
		t->selected = found;
		publish_selected(t, programs, &ignored);
	}
	t->again_ns = began + AGAIN_MS * 1000000LL + SEARCH_SHARE * (cpu_time_ns() - cpu);
	strbuf_release(&ignored);
}
