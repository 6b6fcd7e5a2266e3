/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "targets.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "process/process.h"
#include "process/task.h"
#include "programs.h"

#include <bpf/bpf.h>

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

/* PIDs in /proc and in the kernel's events must be of our PID namespace. */
static int check_pid_namespace(struct strbuf *err)
{
	if (task_numbers_ours())
		return 0;
	return fail(err, "/proc is not there, or that of another pid namespace: mount this one's, "
			 "as unshare --mount-proc does");
}

int targets_scan(
	const struct engine_request *r, struct processes *ps, int64_t end_ns, struct strbuf *err)
{
	if (check_pid_namespace(err))
		return -1;
	for (size_t i = 0; i < r->nr_tids; i++)
		if (scan_target(ps, r->tids[i], err))
			return -1;
	for (size_t i = 0; i < r->nr_pids && !r->command; i++)
		if (scan_target(ps, r->pids[i], err))
			return -1;
	if (r->all && (r->user || r->vm))
		processes_get_all(ps, r->vm ? INT64_MAX : end_ns);
	return 0;
}

int targets_publish(
	const struct engine_request *r, const struct programs *programs, struct strbuf *err)
{
	uint32_t yes = 1;

	if (r->command)
		programs->control->command = r->pids[0];
	for (size_t i = 0; i < r->nr_pids && !r->command; i++)
		if (bpf_map_update_elem(
			    programs_map(programs, "target_pids"), &r->pids[i], &yes, BPF_ANY))
			return fail(err, "too many processes");
	for (size_t i = 0; i < r->nr_tids; i++)
		if (bpf_map_update_elem(
			    programs_map(programs, "target_tids"), &r->tids[i], &yes, BPF_ANY))
			return fail(err, "too many threads");
	return 0;
}
