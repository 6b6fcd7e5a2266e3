/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at: attaches programs at the probe points that the user gives; see at.bpf.c. */
#include "at.h"
#include "at_events.h"
#include "at_functions.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/features.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/at.skel.h"

static const char *const program_of[] = {
	[PROBE_TRACE] = "at_trace",
	[PROBE_SYSCALL] = "at_syscall",
	[PROBE_KERNEL] = "at_kernel",
	[PROBE_USER] = "at_user",
	[PROBE_SOFTWARE] = "at_event",
	[PROBE_HARDWARE] = "at_event",
};

static bool is_needed(const struct engine_request *r, const char *program)
{
	for (size_t i = 0; i < r->nr_probes; i++)
		if (!strcmp(program_of[r->probes[i].kind], program))
			return true;
	return strncmp(program, "at_", 3) != 0;
}

static void begin(struct tool_run *run)
{
	const struct engine_request *r = run->request;

	for (size_t i = 0; i < r->nr_probes; i++)
		drain_name_state(run->drain, TOOL_STATE(i), "probe", r->probes[i].text);
}

/* Keeps LINK, or says in ERR that PROBE cannot be placed. */
static int keep(struct programs *p, struct bpf_link *link, const struct probe *probe,
	const char *remedy, struct strbuf *err)
{
	if (link) {
		programs_keep(p, link);
		return 0;
	}
	if (errno == ENOTSUP)
		remedy = "before Linux 5.15 only one probe point can be given";
	return fail(err, "cannot probe %s: %s; %s", probe->text, strerror(errno),
		refusal_remedy_or(errno, remedy));
}

static int attach_tracepoint(struct programs *p, const struct probe *probe, const char *group,
	const char *name, uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = number);

	return keep(p,
		bpf_program__attach_tracepoint_opts(
			programs_find(p, program_of[probe->kind]), group, name, &opts),
		probe, "perf list tracepoint shows what there is", err);
}

static int attach_trace(
	struct programs *p, const struct probe *probe, uint64_t number, struct strbuf *err)
{
	const char *colon = strchr(probe->name, ':');
	char *group = colon ? xstrndup(probe->name, (size_t)(colon - probe->name))
			    : at_event_group(probe->name);
	int ret;

	if (!group)
		return fail(err,
			"cannot probe %s: this kernel has no such tracepoint; perf list tracepoint "
			"shows what there is",
			probe->text);
	ret = attach_tracepoint(p, probe, group, colon ? colon + 1 : probe->name, number, err);
	free(group);
	return ret;
}

/* At these tracepoints older kernels find no kernel stack, see at.bpf.c. */
static bool has_stack_at_syscalls(void)
{
	struct utsname uts;
	unsigned major, minor;

	return uname(&uts) || sscanf(uts.release, "%u.%u", &major, &minor) != 2 || major > 5 ||
	       (major == 5 && minor >= 11);
}

static int attach_syscall(
	struct programs *p, const struct probe *probe, uint64_t number, struct strbuf *err)
{
	if (p->request->kernel && !has_stack_at_syscalls())
		return fail(err,
			"cannot probe %s with kernel stacks before Linux 5.11: add -u, or probe "
			"kernel.function(\"__x64_sys_%s\")",
			probe->text, probe->name);
	char *name = xasprintf("sys_%s_%s", probe->at_return ? "exit" : "enter", probe->name);
	int ret = attach_tracepoint(p, probe, "syscalls", name, number, err);

	free(name);
	return ret;
}

static int attach_kernel(
	struct programs *p, const struct probe *probe, uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .retprobe = probe->at_return, .bpf_cookie = number);

	return keep(p,
		bpf_program__attach_kprobe_opts(programs_find(p, "at_kernel"), probe->name, &opts),
		probe, "/proc/kallsyms lists the functions, and the kernel needs CONFIG_KPROBES",
		err);
}

static int attach_user(struct tool_run *run, struct programs *p, const struct probe *probe,
	uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = probe->at_return, .bpf_cookie = number);
	struct at_functions found = {0};
	int ret = at_functions_find(&found, probe, p->request, run->facet.ps, err);

	for (size_t i = 0; i < found.nr && !ret; i++)
		ret = keep(p,
			bpf_program__attach_uprobe_opts(programs_find(p, "at_user"), -1,
				found.list[i].path, found.list[i].offset, &opts),
			probe, features_probe_remedy(errno), err);
	at_functions_release(&found);
	return ret;
}

/* Opens and attaches the event ATTR on processor CPU, unless that is offline. */
static int attach_on_cpu(struct programs *p, const struct probe *probe,
	struct perf_event_attr *attr, int cpu, uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = number);
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == ENODEV)
		return 0;
	if (fd < 0)
		return keep(p, NULL, probe, "this machine does not count it", err);
	struct bpf_link *link =
		bpf_program__attach_perf_event_opts(programs_find(p, "at_event"), fd, &opts);

	if (!link)
		close(fd);
	return keep(p, link, probe, "it cannot be sampled", err);
}

static int attach_counter(
	struct programs *p, const struct probe *probe, uint64_t number, struct strbuf *err)
{
	struct perf_event_attr attr;
	int ret = 0;

	if (at_event_attr(probe, p->request->count, &attr))
		return fail(err, "cannot probe %s: there is no such event; see sample-bt(1)",
			probe->text);
	for (size_t cpu = 0; cpu < p->nr_cpus && !ret; cpu++)
		ret = attach_on_cpu(p, probe, &attr, (int)cpu, number, err);
	return ret;
}

static int attach_one(struct tool_run *run, struct programs *p, const struct probe *probe,
	uint64_t number, struct strbuf *err)
{
	switch (probe->kind) {
	case PROBE_TRACE:
		return attach_trace(p, probe, number, err);
	case PROBE_SYSCALL:
		return attach_syscall(p, probe, number, err);
	case PROBE_KERNEL:
		return attach_kernel(p, probe, number, err);
	case PROBE_USER:
		return attach_user(run, p, probe, number, err);
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
		return attach_counter(p, probe, number, err);
	case PROBE_OTHER:
		break;
	}
	return fail(err, "the built-in engine does not know %s", probe->text);
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	int ret = 0;

	for (size_t i = 0; i < p->request->nr_probes && !ret; i++)
		ret = attach_one(run, p, &p->request->probes[i], i, err);
	return ret;
}

const struct bpf_tool at_tool = {
	.program = "at",
	.object = at__elf_bytes,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
};
