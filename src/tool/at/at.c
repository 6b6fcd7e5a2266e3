/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at: attaches programs at the probe points that the user gives; see at.bpf.c. */
#include "at.h"
#include "at_events.h"
#include "at_functions.h"
#include "at_values.h"
#include "engine/bpf/bpf_tool.h"
#include "engine/bpf/drain.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/features.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bpf/at.skel.h"

/* The programs of a kind of probe: at a hit, or a call, and where the call returns. */
static const struct at_programs {
	const char *hit, *returned;
} programs_of[] = {
	[PROBE_TRACE] = {"at_trace", NULL},
	[PROBE_SYSCALL] = {"at_syscall", "at_syscall_return"},
	[PROBE_KERNEL] = {"at_kernel", "at_kernel_return"},
	[PROBE_USER] = {"at_user", "at_user_return"},
	[PROBE_SOFTWARE] = {"at_event", NULL},
	[PROBE_HARDWARE] = {"at_event", NULL},
};

/* Data of a recording. */
struct at_run {
	int points, counts; /* maps */
	struct at_counts sum;
	bool untyped; /* the type of a value is not known */
};

static bool is_needed(const struct engine_request *r, const char *program)
{
	for (size_t i = 0; i < r->nr_probes; i++) {
		const struct at_programs *p = &programs_of[r->probes[i].kind];

		if (!strcmp(p->hit, program) ||
			(r->measure.latency && p->returned && !strcmp(p->returned, program)))
			return true;
	}
	return strncmp(program, "at_", 3) != 0;
}

static void begin(struct tool_run *run)
{
	const struct engine_request *r = run->request;

	run->data = xcalloc(1, sizeof(struct at_run));
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

/* Attaches the BPF program at a tracepoint. */
static int attach_tracepoint(struct programs *p, const struct probe *probe, const char *program,
	const char *group, const char *name, uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = number);

	return keep(p,
		bpf_program__attach_tracepoint_opts(programs_find(p, program), group, name, &opts),
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
	ret = attach_tracepoint(
		p, probe, "at_trace", group, colon ? colon + 1 : probe->name, number, err);
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

/* Returns whether a program runs at the return: of the call too if there are two of them. */
static bool runs_at_return(const struct probe *probe, bool is_return)
{
	return probe->at_return || is_return;
}

static int attach_syscall(struct programs *p, const struct probe *probe, bool is_return,
	uint64_t number, struct strbuf *err)
{
	if (p->request->kernel && !has_stack_at_syscalls())
		return fail(err,
			"cannot probe %s with kernel stacks before Linux 5.11: add -u, or probe "
			"kernel.function(\"__x64_sys_%s\")",
			probe->text, probe->name);
	char *name = xasprintf(
		"sys_%s_%s", runs_at_return(probe, is_return) ? "exit" : "enter", probe->name);
	int ret = attach_tracepoint(p, probe, is_return ? "at_syscall_return" : "at_syscall",
		"syscalls", name, number, err);

	free(name);
	return ret;
}

static int attach_kernel(struct programs *p, const struct probe *probe, bool is_return,
	uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .retprobe = runs_at_return(probe, is_return),
		.bpf_cookie = number);
	const char *program = is_return ? "at_kernel_return" : "at_kernel";

	return keep(p,
		bpf_program__attach_kprobe_opts(programs_find(p, program), probe->name, &opts),
		probe, "/proc/kallsyms lists the functions, and the kernel needs CONFIG_KPROBES",
		err);
}

static int attach_user(struct programs *p, const struct probe *probe, bool is_return,
	const struct at_functions *found, uint64_t number, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = runs_at_return(probe, is_return),
		.bpf_cookie = number);
	const char *program = is_return ? "at_user_return" : "at_user";
	int ret = 0;

	for (size_t i = 0; i < found->nr && !ret; i++)
		ret = keep(p,
			bpf_program__attach_uprobe_opts(programs_find(p, program), -1,
				found->list[i].path, found->list[i].offset, &opts),
			probe, features_probe_remedy(errno), err);
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

/* Attaches a program at PROBE or, with IS_RETURN, where its calls return. */
static int attach_program(struct programs *p, const struct probe *probe, bool is_return,
	const struct at_functions *found, uint64_t number, struct strbuf *err)
{
	switch (probe->kind) {
	case PROBE_TRACE:
		return attach_trace(p, probe, number, err);
	case PROBE_SYSCALL:
		return attach_syscall(p, probe, is_return, number, err);
	case PROBE_KERNEL:
		return attach_kernel(p, probe, is_return, number, err);
	case PROBE_USER:
		return attach_user(p, probe, is_return, found, number, err);
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
		return attach_counter(p, probe, number, err);
	case PROBE_OTHER:
		break;
	}
	return fail(err, "the built-in engine does not know %s", probe->text);
}

/* Sets what the programs do at PROBE. */
static int set_point(struct tool_run *run, const struct probe *probe,
	const struct at_functions *found, uint32_t number, struct strbuf *err)
{
	const struct measure *m = &run->request->measure;
	const struct measure_test *test = &m->test_parsed;
	struct at_run *at = run->data;
	struct at_point point = {.compare = m->test ? test->compare : COMPARE_NONE,
		.test_returns = m->latency && m->test && test->value.kind == VALUE_RETURN,
		.latency = m->latency,
		.ranges = m->ranges,
		.constant = test->constant};

	if (m->value && at_value_find(&point.value, &m->value_parsed, probe, probe->at_return,
				found, &at->untyped, err))
		return -1;
	if (m->test && at_value_find(&point.tested, &test->value, probe,
			       runs_at_return(probe, point.test_returns), found, &at->untyped, err))
		return -1;
	return bpf_map_update_elem(at->points, &number, &point, BPF_ANY)
		       ? fail(err, "cannot set the probe point: %s", strerror(errno))
		       : 0;
}

/* The returns are probed first, so that no call is seen whose return is not. */
static int attach_one(struct tool_run *run, struct programs *p, const struct probe *probe,
	uint32_t number, struct strbuf *err)
{
	struct at_functions found = {0};
	int ret = probe->kind == PROBE_USER
			  ? at_functions_find(&found, probe, p->request, run->facet.ps, err)
			  : 0;

	if (!ret)
		ret = set_point(run, probe, &found, number, err);
	if (!ret && p->request->measure.latency)
		ret = attach_program(p, probe, true, &found, number, err);
	if (!ret)
		ret = attach_program(p, probe, false, &found, number, err);
	at_functions_release(&found);
	return ret;
}

static int attach(struct tool_run *run, struct programs *p, struct strbuf *err)
{
	struct at_run *at = run->data;
	int ret = 0;

	at->points = programs_map(p, "at_points");
	at->counts = programs_map(p, "at_counts");
	for (size_t i = 0; i < p->request->nr_probes && !ret; i++)
		ret = attach_one(run, p, &p->request->probes[i], (uint32_t)i, err);
	return ret;
}

/* Reads the counts of all processors. */
static void stopped(struct tool_run *run)
{
	size_t cpus = (size_t)libbpf_num_possible_cpus();
	struct at_counts *list = xcalloc(cpus, sizeof(*list));
	struct at_run *at = run->data;
	uint32_t zero = 0;

	if (bpf_map_lookup_elem(at->counts, &zero, list))
		memset(list, 0, cpus * sizeof(*list));
	for (size_t i = 0; i < cpus; i++) {
		at->sum.negative += list[i].negative;
		at->sum.begun += list[i].begun;
		at->sum.ended += list[i].ended;
	}
	free(list);
}

static void note(const struct tool_run *run, struct strbuf *notes)
{
	const struct at_run *at = run->data;

	if (at->untyped)
		strbuf_adds(notes, "the types of some values are not known, as there is no debug "
				   "information: all 64 bits of a register count\n");
	if (at->sum.negative)
		strbuf_addf(notes,
			"%" PRIu64 " hits have a value below 0, which is not added; --if selects "
			"hits\n",
			at->sum.negative);
	if (at->sum.begun > at->sum.ended)
		strbuf_addf(notes,
			"%" PRIu64 " calls have not returned and are not included: they went on at "
			"the end, or were left by an exit, an exec or a jump\n",
			at->sum.begun - at->sum.ended);
}

static void release(struct tool_run *run)
{
	free(run->data);
}

const struct bpf_tool at_tool = {
	.program = "at",
	.object = at__elf_bytes,
	.is_needed = is_needed,
	.begin = begin,
	.attach = attach,
	.stopped = stopped,
	.note = note,
	.release = release,
};
