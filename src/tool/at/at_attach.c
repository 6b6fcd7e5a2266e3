/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "at_attach.h"
#include "at_events.h"
#include "at_files.h"
#include "at_multi.h"
#include "at_sites.h"
#include "engine/bpf/features.h"
#include "engine/bpf/programs.h"
#include "engine/bpf/refusal.h"
#include "engine/engine.h"
#include "engine/named_event.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The programs of a kind of probe: at a hit, or a call, and where the call returns. */
static const struct at_programs {
	const char *hit, *returned;
} programs_of[] = {
	[PROBE_TRACE] = {"at_trace", NULL},
	[PROBE_SYSCALL] = {"at_syscall", "at_syscall_return"},
	[PROBE_KERNEL] = {"at_kernel", "at_kernel_return"},
	[PROBE_USER] = {"at_user", "at_user_return"},
	[PROBE_MARK] = {"at_user", NULL},
	[PROBE_SOFTWARE] = {"at_event", NULL},
	[PROBE_HARDWARE] = {"at_event", NULL},
	[PROBE_NAMED] = {"at_event", NULL},
};

const char *at_program(enum probe_kind kind, bool is_return)
{
	return is_return ? programs_of[kind].returned : programs_of[kind].hit;
}

static struct bpf_program *program_of(const struct at_attach *a)
{
	return programs_find(a->programs, at_program(a->probe->kind, a->is_return));
}

/* Keeps LINK, or says in ERR that the probe cannot be placed. */
static int keep(
	const struct at_attach *a, struct bpf_link *link, const char *remedy, struct strbuf *err)
{
	if (link) {
		programs_keep(a->programs, link);
		return 0;
	}
	if (errno == ENOTSUP)
		remedy = "before Linux 5.15 only one probe point can be given";
	return fail(err, "cannot probe %s: %s; %s", a->probe->text, strerror(errno),
		refusal_remedy_or(errno, remedy));
}

/* ---- tracepoints and system calls ---- */

static int attach_tracepoint(
	const struct at_attach *a, const char *group, const char *name, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_tracepoint_opts, opts, .bpf_cookie = a->number);

	struct bpf_link *link =
		bpf_program__attach_tracepoint_opts(program_of(a), group, name, &opts);

	return keep(a, link,
		errno == EEXIST ? "a tracepoint, and a pattern of system calls, can be given once"
				: "perf list tracepoint shows what there is",
		err);
}

static int attach_trace(const struct at_attach *a, struct strbuf *err)
{
	const char *name = a->probe->name, *colon = strchr(name, ':');
	char *group = colon ? xstrndup(name, (size_t)(colon - name)) : at_event_group(name);
	int ret;

	if (!group)
		return fail(err,
			"cannot probe %s: this kernel has no such tracepoint; perf list tracepoint "
			"shows what there is",
			a->probe->text);
	ret = attach_tracepoint(a, group, colon ? colon + 1 : name, err);
	free(group);
	return ret;
}

int at_attach_raw(const struct at_attach *a, struct strbuf *err)
{
	int program = bpf_program__fd(programs_find(a->programs, "at_raw"));
	struct at_sites events = {0};
	size_t nr = 0;

	at_events_find(&events, a->probe->name);
	for (size_t i = 0; i < events.nr; i++) {
		const char *event = events.list[i].name;
		int fd = bpf_raw_tracepoint_open(strchr(event, ':') + 1, program);

		if (fd < 0) {
			at_left_out_add(a->left, event, "as they are no tracepoints of their own");
			continue;
		}
		programs_keep_fd(a->programs, fd);
		nr++;
	}
	at_sites_release(&events);
	return nr ? 0
		  : fail(err,
			    "cannot probe %s: no tracepoint of this kernel matches; perf list "
			    "tracepoint shows what there is",
			    a->probe->text);
}

/* At these tracepoints older kernels find no kernel stack, see at.bpf.c. */
static bool has_stack_at_syscalls(void)
{
	struct utsname uts;
	unsigned major, minor;

	return uname(&uts) || sscanf(uts.release, "%u.%u", &major, &minor) != 2 || major > 5 ||
	       (major == 5 && minor >= 11);
}

static int attach_syscall(const struct at_attach *a, struct strbuf *err)
{
	const struct probe *probe = a->probe;

	if (a->programs->request->kernel && !has_stack_at_syscalls())
		return fail(err,
			"cannot probe %s with kernel stacks before Linux 5.11: add -u, or probe "
			"kernel.function(\"__x64_sys_%s\")",
			probe->text, probe->name);
	bool all = probe_is_pattern(probe);
	char *name =
		xasprintf("sys_%s%s%s", at_runs_at_return(probe, a->is_return) ? "exit" : "enter",
			all ? "" : "_", all ? "" : probe->name);
	int ret = attach_tracepoint(a, all ? "raw_syscalls" : "syscalls", name, err);

	free(name);
	return ret;
}

/* ---- functions ---- */

static struct bpf_link *link_kernel(const struct at_attach *a, const char *name, uint64_t cookie)
{
	LIBBPF_OPTS(bpf_kprobe_opts, opts, .retprobe = at_runs_at_return(a->probe, a->is_return),
		.bpf_cookie = cookie);

	return bpf_program__attach_kprobe_opts(program_of(a), name, &opts);
}

static struct bpf_link *link_user(const struct at_attach *a, const struct at_site *site)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .retprobe = at_runs_at_return(a->probe, a->is_return),
		.bpf_cookie = site->cookie, .ref_ctr_offset = site->semaphore);

	return bpf_program__attach_uprobe_opts(
		program_of(a), -1, site->file->path, site->offset, &opts);
}

static const char kernel_remedy[] = "/proc/kallsyms lists the functions";

static int check_kprobes(const struct at_attach *a, struct strbuf *err)
{
	if (!access("/sys/bus/event_source/devices/kprobe", F_OK))
		return 0;
	return fail(err,
		"cannot probe %s: this kernel has no kprobes (CONFIG_KPROBES); probe a tracepoint "
		"or a system call, or find the function in samples: sample-bt -k, and bt-report "
		"--callers or --callees",
		a->probe->text);
}

static int attach_kernel(const struct at_attach *a, struct strbuf *err)
{
	if (check_kprobes(a, err))
		return -1;
	return keep(a, link_kernel(a, a->probe->name, a->number), kernel_remedy, err);
}

/* Attaches at one site. Returns -1 with errno. */
static int try_site(const struct at_attach *a, const struct at_site *site)
{
	struct bpf_link *link =
		site->file ? link_user(a, site) : link_kernel(a, site->name, site->cookie);

	if (link)
		programs_keep(a->programs, link);
	return link ? 0 : -1;
}

/* Attaches at NR sites of the same file at once. Returns -1 with errno. */
static int try_sites(const struct at_attach *a, const struct at_site *sites, size_t nr)
{
	int fd = at_multi_attach(
		program_of(a), sites, nr, at_runs_at_return(a->probe, a->is_return), 0);

	if (fd >= 0)
		programs_keep_fd(a->programs, fd);
	return fd < 0 ? -1 : 0;
}

/* Returns why a function cannot be probed, for ERROR, an errno. */
static const char *reason_of(int error)
{
	enum { UNSUPPORTED = 524 }; /* the kernel's ENOTSUPP */

	return error == UNSUPPORTED ? "as the kernel does not probe their first instruction"
				    : strerror(error);
}

/* Returns whether ERROR, an errno, tells of a function that the kernel does not probe. */
static bool is_of_function(int error)
{
	return error != EPERM && error != EACCES && error != ENOTSUP && !refusal_remedy(error);
}

/*
 * Attaches at NR sites of the same file, at once if the kernel can do it. If one of them cannot be
 * probed, the kernel refuses them all, so that it is found by halving.
 */
static int attach_some(
	const struct at_attach *a, const struct at_site *sites, size_t nr, struct strbuf *err)
{
	size_t half = a->is_multi ? nr / 2 : 1;

	if (nr == 1 || a->is_multi) {
		if (!(a->is_multi ? try_sites(a, sites, nr) : try_site(a, sites)))
			return 0;
		if (!a->left || !is_of_function(errno))
			return keep(a, NULL,
				sites->file ? features_probe_remedy(errno) : kernel_remedy, err);
		if (nr == 1) {
			at_left_out_add(a->left, sites->name, reason_of(errno));
			return 0;
		}
	}
	for (size_t at = 0; at < nr; at += half)
		if (attach_some(a, sites + at, nr - at < half ? nr - at : half, err))
			return -1;
	return 0;
}

int at_attach_sites(
	const struct at_attach *a, const struct at_site *sites, size_t nr, struct strbuf *err)
{
	if (nr && !sites->file && check_kprobes(a, err))
		return -1;
	for (size_t at = 0, end; at < nr; at = end) {
		for (end = at + 1; end < nr && sites[end].file == sites[at].file; end++)
			;
		if (attach_some(a, sites + at, end - at, err))
			return -1;
	}
	return 0;
}

/* ---- counters ---- */

/* Says in ERR that the event cannot be opened, and which events can. Returns -1. */
static int refuse_event(const struct at_attach *a, int error, struct strbuf *err)
{
	struct strbuf names = STRBUF_INIT;
	const char *remedy = refusal_remedy(error);

	named_event_list(&names);
	if (remedy)
		fail(err, "cannot probe %s: %s; %s", a->probe->text, strerror(error), remedy);
	else
		fail(err, "cannot probe %s: this machine does not count it (%s); it counts %s",
			a->probe->text, strerror(error), names.len ? names.buf : "nothing");
	strbuf_release(&names);
	return -1;
}

/* Opens and attaches the event ATTR on processor CPU, unless that is offline. */
static int attach_on_cpu(
	const struct at_attach *a, struct perf_event_attr *attr, int cpu, struct strbuf *err)
{
	LIBBPF_OPTS(bpf_perf_event_opts, opts, .bpf_cookie = a->number);
	int fd = (int)syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno == ENODEV ? 0 : refuse_event(a, errno, err);
	struct bpf_link *link = bpf_program__attach_perf_event_opts(program_of(a), fd, &opts);

	if (!link)
		close(fd);
	return keep(a, link, "it cannot be sampled", err);
}

static bool find_event(const struct probe *probe, struct named_event *event)
{
	return probe->kind == PROBE_NAMED ? named_event_find(event, probe->name)
					  : named_event_find_in_stap(event,
						    probe->kind == PROBE_HARDWARE, probe->name);
}

static int attach_counter(const struct at_attach *a, struct strbuf *err)
{
	const struct engine_request *r = a->programs->request;
	struct perf_event_attr attr;
	struct named_event event;
	int ret = 0;

	if (!find_event(a->probe, &event))
		return fail(err, "cannot probe %s: there is no such event; see sample-bt(1)",
			a->probe->text);
	named_event_attr(&event, r->count, r->hz, &attr);
	for (size_t cpu = 0; cpu < a->programs->nr_cpus && !ret; cpu++)
		ret = attach_on_cpu(a, &attr, (int)cpu, err);
	return ret;
}

int at_attach(const struct at_attach *a, struct strbuf *err)
{
	switch (a->probe->kind) {
	case PROBE_TRACE:
		return attach_trace(a, err);
	case PROBE_SYSCALL:
		return attach_syscall(a, err);
	case PROBE_KERNEL:
		return attach_kernel(a, err);
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
	case PROBE_NAMED:
		return attach_counter(a, err);
	case PROBE_USER:
	case PROBE_MARK:
	case PROBE_OTHER:
		break;
	}
	return fail(err, "the built-in engine does not know %s", a->probe->text);
}
