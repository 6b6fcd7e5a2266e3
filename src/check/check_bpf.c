/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The preflight of the built-in engine: whether this kernel runs its programs, and whether we may
 * load them. System calls are tried only if the root is the real one.
 */
#include "check_list.h"
#include "engine/bpf/features.h"
#include "engine/bpf/kernel_names.h"
#include "engine/named_event.h"
#include "engine/tool.h"
#include "lib/root.h"
#include "lib/util.h"
#include "trial.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool may_load(const struct check_context *c)
{
	return check_capability(c, CAP_BPF) || check_capability(c, CAP_SYS_ADMIN);
}

static bool may_trace(const struct check_context *c)
{
	return check_capability(c, CAP_PERFMON) || check_capability(c, CAP_SYS_ADMIN);
}

/* Loads a program that does nothing. Returns 0, or the error. */
static int try_load(void)
{
	const struct bpf_insn nothing[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K}, /* r0 = 0 */
		{.code = BPF_JMP | BPF_EXIT},
	};
	int fd = bpf_prog_load(
		BPF_PROG_TYPE_PERF_EVENT, NULL, "GPL", nothing, ARRAY_LEN(nothing), NULL);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Opens the event of the tick on this CPU. Returns 0, or the error. */
static int try_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 1000000,
		.disabled = 1,
	};
	int fd = (int)syscall(
		SYS_perf_event_open, &attr, -1, sched_getcpu(), -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

void check_bpf_kernel(struct check_context *c)
{
	if (check_config(c, "CONFIG_BPF_EVENTS") == 'n') {
		check_missing(c, "%s does not run BPF programs on events", c->release);
		check_remedy(c, "record on a kernel with CONFIG_BPF_EVENTS");
	} else if (!*c->release) {
		check_degraded(c, "unknown without /proc");
		check_remedy(c, "mount /proc");
	} else {
		check_found(c, "%s", c->release);
	}
}

void check_bpf_types(struct check_context *c)
{
	if (root_exists(c->request->root, "/sys/kernel/btf/vmlinux")) {
		check_found(c, "/sys/kernel/btf/vmlinux");
	} else if (!root_exists(c->request->root, "/sys/kernel")) {
		check_missing(c, "no /sys, where the kernel describes its types");
		check_remedy(c, "mount /sys");
	} else {
		check_missing(c, "this kernel does not describe its types (no "
				 "/sys/kernel/btf/vmlinux)");
		check_remedy(c, "record on a kernel with CONFIG_DEBUG_INFO_BTF, or with "
				"SystemTap");
	}
}

/*
 * Whether we are in a user namespace other than the initial one, which has a fixed inode.
 * Capabilities are sufficient only in the initial one.
 */
static bool own_users(const struct check_context *c)
{
	char name[64];

	check_namespace(c, "self/ns/user", name);
	return *name && strcmp(name, "user:[4026531837]");
}

static bool is_filtered(const struct check_context *c)
{
	const char *mode = check_value(c->status.buf, "Seccomp:");

	return mode && *mode == '2';
}

/* Reports that the system call NAME failed in spite of the required capabilities. */
static void report_refused(struct check_context *c, const char *name, int error)
{
	if ((error == EPERM || error == ENOSYS) && is_filtered(c)) {
		check_missing(c, "a seccomp filter blocks %s", name);
		check_remedy(c, "let the container's profile allow bpf and perf_event_open (docker "
				"run --privileged), or record on the host");
	} else {
		check_missing(c, "%s fails: %s", name, strerror(error));
		check_remedy(c, "find out what denies it: a security module or a kernel setting");
	}
}

static void remedy_rights(struct check_context *c)
{
	if (check_root(c))
		check_remedy(c, "record on the host, or give the container that capability "
				"(docker run --cap-add)");
	else
		check_remedy(c, "run sample-bt with sudo");
}

static void report_lacking(struct check_context *c)
{
	check_missing(c, "%s%s%s", may_load(c) ? "" : "no CAP_BPF, to load programs",
		may_load(c) || may_trace(c) ? "" : "; ",
		may_trace(c) ? "" : "no CAP_PERFMON, to read stacks at every tick");
	remedy_rights(c);
}

void check_bpf_rights(struct check_context *c)
{
	int error;

	if (!c->status.len) {
		check_degraded(c, "unknown without /proc");
		check_remedy(c, "mount /proc");
	} else if (!may_load(c) || !may_trace(c)) {
		report_lacking(c);
	} else if (own_users(c)) {
		check_missing(c, "capabilities in a user namespace are not sufficient");
		check_remedy(c, "record on the host, as its root");
	} else if (!*c->request->root && (error = try_load())) {
		report_refused(c, "bpf(2)", error);
	} else {
		check_found(c, "%s",
			check_capability(c, CAP_SYS_ADMIN) ? "CAP_SYS_ADMIN"
							   : "CAP_BPF and CAP_PERFMON");
	}
}

void check_bpf_lockdown(struct check_context *c)
{
	struct strbuf lockdown = check_read(c, "/sys/kernel/security/lockdown");

	if (strstr(lockdown.buf, "[confidentiality]")) {
		check_missing(c, "for confidentiality: BPF programs may not read memory");
		check_remedy(c, "boot without lockdown=confidentiality");
	} else {
		check_found(c, "none that matters");
	}
	strbuf_release(&lockdown);
}

/*
 * With CAP_PERFMON, kernel.perf_event_paranoid has no effect, except on kernels that have level 3.
 */
void check_bpf_timer(struct check_context *c)
{
	bool ask = !*c->request->root && may_trace(c) && !own_users(c);
	int error = ask ? try_event() : 0;

	if (!error || error == ENOSYS) {
		check_timer(c);
	} else if (error == EACCES &&
		   check_read_char(c, "/proc/sys/kernel/perf_event_paranoid") > '2') {
		check_missing(c, "kernel.perf_event_paranoid denies even CAP_PERFMON");
		check_remedy(c, "set it to 2, or run sample-bt with sudo");
	} else {
		report_refused(c, "perf_event_open(2)", error);
	}
}

void check_bpf_container(struct check_context *c)
{
	const char *numbers = check_value(c->status.buf, "NSpid:");
	char name[64];

	check_namespace(c, "self/ns/pid", name);
	if (numbers && strspn(numbers, "0123456789") < strcspn(numbers, "\n")) {
		check_missing(c, "/proc belongs to another PID namespace");
		check_remedy(c, "mount that of this one, as unshare --mount-proc does");
	} else if (*name && strcmp(name, "pid:[4026531836]")) {
		check_found(c, "a PID namespace: -a means the processes in it");
	} else {
		check_found(c, "none that matters");
	}
}

/* Files that can be opened only with one of two capabilities. */
static const struct {
	const char *what;
	unsigned capability, or_this;
} guarded[] = {
	{"files of other users' processes (CAP_SYS_PTRACE)", CAP_SYS_PTRACE, CAP_SYS_PTRACE},
	{"deleted files (CAP_CHECKPOINT_RESTORE)", CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN},
	{"files that only others may read (CAP_DAC_READ_SEARCH)", CAP_DAC_READ_SEARCH,
		CAP_DAC_OVERRIDE},
};

void check_bpf_files(struct check_context *c)
{
	struct strbuf closed = STRBUF_INIT;

	if (!c->request->user)
		return;
	for (size_t i = 0; i < ARRAY_LEN(guarded); i++)
		if (!check_capability(c, guarded[i].capability) &&
			!check_capability(c, guarded[i].or_this))
			strbuf_addf(&closed, "%s%s", closed.len ? ", " : "", guarded[i].what);
	if (!closed.len) {
		check_found(c, "files of all processes can be read");
	} else {
		check_degraded(c, "no names and no unwind rules from %s", closed.buf);
		remedy_rights(c);
	}
	strbuf_release(&closed);
}

/*
 * A kernel that cannot be asked for names shows them only with their addresses. Unlike staprun, we
 * change no settings: with kptr_restrict 2, not even root can read these.
 */
void check_bpf_names(struct check_context *c)
{
	char restriction = check_read_char(c, "/proc/sys/kernel/kptr_restrict");
	char paranoid = check_read_char(c, "/proc/sys/kernel/perf_event_paranoid");
	bool open = restriction == '0' && (paranoid == '-' || paranoid == '0' || paranoid == '1');

	if (!c->request->kernel)
		return;
	if (!root_exists(c->request->root, "/proc/kallsyms")) {
		check_degraded(c, "there is no /proc/kallsyms: kernel frames have no names");
		check_remedy(c, "record on a kernel with CONFIG_KALLSYMS");
	} else if (!*c->request->root && kernel_names_can_ask()) {
		check_found(c, "the kernel is asked for them");
	} else if (restriction == '2') {
		check_degraded(c, "hidden from all users: kernel frames have no names");
		check_remedy(c, "set kernel.kptr_restrict to 1");
	} else if (!open && !check_capability(c, CAP_SYSLOG)) {
		check_degraded(c, "hidden without CAP_SYSLOG: kernel frames have no names");
		remedy_rights(c);
	} else {
		check_found(c, "/proc/kallsyms");
	}
}

/* Lists the events that -e takes, besides tracepoints. */
void check_bpf_events(struct check_context *c)
{
	struct strbuf names = STRBUF_INIT;

	if (!c->request->try_it || !check_fits_so_far(c) || !tool_takes(c->request->tool, "at"))
		return;
	named_event_list(&names);
	if (names.len)
		check_found(c, "%s", names.buf);
	strbuf_release(&names);
}

/* Checks only for tools that use the tracepoint sched_switch. */
void check_bpf_wakeups(struct check_context *c)
{
	if (!tool_has_probe(c->request->tool, "sched:sched_switch") || !c->request->try_it ||
		!check_fits_so_far(c))
		return;
	if (features_switch_state()) {
		check_found(c, "sched_switch reports the state of a thread");
	} else {
		check_degraded(c, "sched_switch does not report the state of a thread: one that is "
				  "woken while it goes to sleep may count as preempted");
		check_remedy(c, "record on Linux 5.18 or newer");
	}
}

/*
 * The previous checks report what is missing. This check tests whether a recording works. A timer
 * must produce samples; whether this process has other events depends on the tool and its options.
 */
void check_trial(struct check_context *c)
{
	struct strbuf err = STRBUF_INIT;
	struct trial trial = {0};

	if (!c->request->try_it || !check_fits_so_far(c))
		return;
	if (c->request->try_it(c->request->trial_request, &trial, &err)) {
		err.buf[strcspn(err.buf, "\n")] = '\0';
		check_missing(c, "%s", err.buf);
	} else if (!trial.samples && !tool_is_timed(c->request->tool)) {
		check_found(c, "the programs run; this process had none of the events");
	} else if (!trial.samples) {
		check_missing(c, "the programs run, but took no sample of this process");
		check_remedy(c, "try again when the machine is less busy");
	} else {
		check_found(c, "%" PRIu64 " samples of this process, %" PRIu64 " with whole stacks",
			trial.samples, trial.whole);
	}
	free(trial.log);
	strbuf_release(&err);
}
