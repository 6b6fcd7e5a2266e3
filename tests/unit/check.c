/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight on made-up machines: a good one, from which each test removes something. */
#include "check/check.h"
#include "check/trial.h"
#include "engine/tool.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "runtime/vm.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define RELEASE "6.1.0-50-amd64"
#define BUILD "/usr/src/linux-headers-" RELEASE
#define RUNTIME "/usr/share/systemtap/runtime"

static char root[] = "/tmp/check-test-XXXXXX";

static char *in_root(const char *path)
{
	return xasprintf("%s%s", root, path);
}

static void make_folders(const char *path)
{
	char *full = in_root(path);

	for (char *s = strchr(full + 1, '/'); s; s = strchr(s + 1, '/')) {
		*s = '\0';
		mkdir(full, 0755);
		*s = '/';
	}
	free(full);
}

static void put_bytes(const char *path, const void *bytes, size_t len, mode_t mode)
{
	char *full = in_root(path);

	make_folders(path);
	FILE *f = fopen(full, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(full, mode), 0);
	free(full);
}

static void put(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0644);
}

static void put_program(const char *path, const char *text)
{
	put_bytes(path, text, strlen(text), 0755);
}

static void put_link(const char *path, const char *target)
{
	char *full = in_root(path);

	make_folders(path);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
	free(full);
}

static void take(const char *path)
{
	char *full = in_root(path);

	assert_int_equal(unlink(full), 0);
	free(full);
}

static void put_systemtap(void)
{
	put_program("/usr/bin/stap",
		"#!/bin/sh\necho 'Systemtap translator/driver (version 5.6/0.195, Debian)'\n"
		"echo 'tested kernel versions: 3.10 ... 7.2.0-rc6'\n");
	put_bytes("/usr/bin/staprun", "", 0, 04755);
	put(RUNTIME "/stp_task_work.c", "task_work_cancel_func");
	put(RUNTIME "/transport/transport.c", "uprobe_unregister_nosync");
	put_program("/usr/bin/make", "");
	put_program("/usr/bin/gcc", "#!/bin/sh\necho 12\n");
}

static void put_kernel(void)
{
	put_link("/lib/modules/" RELEASE "/build", BUILD);
	put(BUILD "/Makefile", "");
	put(BUILD "/.config",
		"CONFIG_CC_VERSION_TEXT=\"gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0\"\n"
		"CONFIG_MODULES=y\nCONFIG_PERF_EVENTS=y\nCONFIG_UPROBES=y\n"
		"# CONFIG_CC_IS_CLANG is not set\nCONFIG_KPROBES=y\nCONFIG_BPF_EVENTS=y\n");
	put(BUILD "/include/generated/utsrelease.h", "#define UTS_RELEASE \"" RELEASE "\"\n");
	put(BUILD "/include/linux/task_work.h", "task_work_cancel_func(");
	put(BUILD "/include/linux/uprobes.h", "uprobe_unregister_nosync(");
}

static void put_running(void)
{
	put("/proc/sys/kernel/osrelease", RELEASE "\n");
	put("/proc/sys/kernel/modules_disabled", "0\n");
	put("/proc/sys/kernel/kptr_restrict", "0\n");
	put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	put("/proc/self/status", "Name:\ttest\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t0 \n"
				 "NSpid:\t1302\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n");
	put_link("/proc/self/ns/pid", "pid:[4026531836]");
	put_link("/proc/self/ns/user", "user:[4026531837]");
	put("/proc/modules", "");
	put("/proc/kallsyms", "");
	put("/etc/group", "root:x:0:\nstapusr:x:156:\nstapdev:x:158:\n");
	put("/etc/debian_version", "");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/kernel/btf/vmlinux", "");
}

static int put_machine(void **state)
{
	(void)state;
	strcpy(strrchr(root, '-'), "-XXXXXX");
	assert_non_null(mkdtemp(root));
	setenv("PATH", "/usr/bin:/bin", 1);
	unsetenv("STAP_FIPS_OVERRIDE");
	put_systemtap();
	put_kernel();
	put_running();
	return 0;
}

static int take_machine(void **state)
{
	char *command = xasprintf("rm -rf '%s'", root);

	(void)state;
	assert_int_equal(system(command), 0);
	free(command);
	return 0;
}

static const struct check *line_of(const struct checks *checks, const char *name)
{
	for (size_t i = 0; i < checks->nr; i++)
		if (!strcmp(checks->list[i].name, name))
			return &checks->list[i];
	return NULL;
}

static struct tool_probe timer, switches = {.tracepoint = (char *)"sched:sched_switch"};
static const struct tool timed = {.probes = &timer, .nr_probes = 1};
static const struct tool untimed = {.probes = &switches, .nr_probes = 1};

static const struct check_request usual = {
	.root = root, .tool = &timed, .user = true, .kernel = true};
static const struct check_request built_in = {
	.root = root, .tool = &timed, .built_in = true, .user = true, .kernel = true};

static void expect_of(const struct check_request *request, const char *name, enum check_state state,
	const char *what, const char *remedy)
{
	struct checks checks;

	checks_run(&checks, request);
	const struct check *line = line_of(&checks, name);

	assert_non_null(line);
	if (line->state != state || !strstr(line->what, what))
		fail_msg("%s: %d, %s", name, line->state, line->what);
	if (!remedy)
		assert_null(line->remedy);
	else if (!line->remedy || !strstr(line->remedy, remedy))
		fail_msg("%s: %s", name, line->remedy ? line->remedy : "no remedy");
	assert_int_equal(checks_fit(&checks), state != CHECK_MISSING);
	checks_release(&checks);
}

static void expect(const char *name, enum check_state state, const char *what, const char *remedy)
{
	expect_of(&usual, name, state, what, remedy);
}

static void expect_bpf(
	const char *name, enum check_state state, const char *what, const char *remedy)
{
	expect_of(&built_in, name, state, what, remedy);
}

static void expect_good(const struct check_request *request, size_t nr)
{
	struct checks checks;

	checks_run(&checks, request);
	assert_int_equal(checks.nr, nr);
	for (size_t i = 0; i < checks.nr; i++)
		if (checks.list[i].state != CHECK_FOUND || checks.list[i].remedy)
			fail_msg("%s: %s", checks.list[i].name, checks.list[i].what);
	checks_release(&checks);
}

static void test_good(void **state)
{
	(void)state;
	expect_good(&usual, 13);
	expect_good(&built_in, 8);
	expect("stap", CHECK_FOUND, "SystemTap 5.6", NULL);
	expect("kernel", CHECK_FOUND, "tested with 3.10 to 7.2.0-rc6", NULL);
	expect("compiler", CHECK_FOUND, "gcc 12, as for the kernel", NULL);
}

static void test_stap(void **state)
{
	(void)state;
	put_program("/usr/bin/stap", "#!/bin/sh\nexit 1\n");
	expect("stap", CHECK_MISSING, "'/usr/bin/stap --version' fails", "why");
	put_program("/usr/bin/stap", "#!/bin/sh\nexec yes\n");
	expect("stap", CHECK_MISSING, "fails", "why");
	take("/usr/bin/stap");
	expect("stap", CHECK_MISSING, "not installed", "apt install systemtap");
}

static void test_kernel_changes(void **state)
{
	(void)state;
	put(RUNTIME "/transport/transport.c", "uprobe_unregister");
	expect("kernel", CHECK_MISSING, "does not load them", "5.2");
	put(RUNTIME "/stp_task_work.c", "task_work_cancel");
	expect("kernel", CHECK_MISSING, "do not compile", "5.2");
	/* an old kernel with an old SystemTap */
	put(BUILD "/include/linux/task_work.h", "task_work_cancel(");
	put(BUILD "/include/linux/uprobes.h", "uprobe_unregister(");
	expect("kernel", CHECK_FOUND, RELEASE, NULL);
}

/*
 * The defects that a patched copy of the runtime repairs, and a runtime that the user has chosen.
 */
static void test_kernel_patched(void **state)
{
	struct check_request chosen = usual;

	(void)state;
	put(RUNTIME "/stp_task_work.c",
		"typeof(&task_work_cancel) lookup_name(\"task_work_cancel\")");
	expect("kernel", CHECK_FOUND,
		"SystemTap 5.6 on " RELEASE
		" works with a patched copy of its runtime (task_work_cancel_func)",
		NULL);
	chosen.runtime_given = true;
	expect_of(&chosen, "kernel", CHECK_FOUND, "-R or SYSTEMTAP_RUNTIME", NULL);
}

static void test_kernel_version(void **state)
{
	(void)state;
	put_program("/usr/bin/stap", "#!/bin/sh\necho 'x (version 4.0)'\n"
				     "echo 'tested kernel versions: 2.6.18 ... 4.19-rc7'\n");
	expect("kernel", CHECK_DEGRADED, "tested with 2.6.18 to 4.19-rc7", "newer SystemTap");
	put_program("/usr/bin/stap", "#!/bin/sh\necho '(version 4.0)'\n");
	expect("kernel", CHECK_FOUND, RELEASE, NULL);
}

static void test_headers(void **state)
{
	(void)state;
	put(BUILD "/include/generated/utsrelease.h", "#define UTS_RELEASE \"6.1.0-47-amd64\"\n");
	expect("kernel headers", CHECK_MISSING, "is for 6.1.0-47-amd64", "linux-headers-" RELEASE);
	take(BUILD "/include/generated/utsrelease.h");
	expect("kernel headers", CHECK_MISSING, "not prepared", "modules_prepare");
	take("/etc/debian_version");
	put("/etc/redhat-release", "");
	take(BUILD "/Makefile");
	expect("kernel headers", CHECK_MISSING, "does not exist",
		"dnf install kernel-devel-" RELEASE);
}

static void test_compiler(void **state)
{
	(void)state;
	put_program("/usr/bin/gcc", "#!/bin/sh\necho 13\n");
	expect("compiler", CHECK_DEGRADED, "gcc 13, the kernel was compiled by gcc 12", "gcc-12");
	take("/usr/bin/gcc");
	expect("compiler", CHECK_MISSING, "gcc is not installed", "apt install gcc");
	put(BUILD "/.kernelvariables", "CC = $(if $(X),$(CCACHE)) $(CROSS_COMPILE)gcc-14\n"
				       "override CROSS_COMPILE = x86_64-linux-gnu-\n");
	expect("compiler", CHECK_MISSING, "x86_64-linux-gnu-gcc-14 is not installed",
		"install gcc-14");
	put_program("/usr/bin/x86_64-linux-gnu-gcc-14", "");
	expect("compiler", CHECK_FOUND, "x86_64-linux-gnu-gcc-14", NULL);
	put(BUILD "/.kernelvariables", "CC = $(CROSS_COMPILE)gcc-12\n"
				       "override CROSS_COMPILE = $(DEB_HOST_GNU_TYPE)-\n");
	expect("compiler", CHECK_MISSING, "gcc-12 is not installed", "install gcc-12");
	take("/usr/bin/make");
	put_program("/usr/bin/gcc-12", "");
	expect("compiler", CHECK_MISSING, "make is not installed", "install make");
}

static void test_modules(void **state)
{
	(void)state;
	put("/proc/sys/kernel/modules_disabled", "1\n");
	expect("module loading", CHECK_MISSING, "until the next boot", "boot");
	take("/proc/modules");
	expect("module loading", CHECK_MISSING, "loads no modules", "CONFIG_MODULES");
	put("/proc/modules", "");
	put(BUILD "/.config", "# CONFIG_MODULES is not set\nCONFIG_PERF_EVENTS=y\n");
	expect("module loading", CHECK_MISSING, "loads no modules", "CONFIG_MODULES");
}

static void test_options(void **state)
{
	(void)state;
	put(BUILD "/.config", "CONFIG_MODULES=y\nCONFIG_PERF_EVENTS=y\n");
	expect("uprobes", CHECK_DEGRADED, "cannot be probed", NULL);
	expect("kprobes", CHECK_DEGRADED, "cannot be probed", NULL);
	put(BUILD "/.config", "CONFIG_MODULES=y\n");
	expect("perf timer", CHECK_MISSING, "no perf events", "CONFIG_PERF_EVENTS");
	/* without its configuration the kernel itself is examined */
	take(BUILD "/.config");
	take("/proc/sys/kernel/perf_event_paranoid");
	expect("perf timer", CHECK_MISSING, "no perf events", "CONFIG_PERF_EVENTS");
	put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	expect("perf timer", CHECK_FOUND, "perf events", NULL);

	struct check_request request = usual;

	request.tool = &untimed;
	expect_of(&request, "tracepoints", CHECK_MISSING, "no tracepoint sched:sched_switch",
		"CONFIG_TRACEPOINTS");
	put("/sys/kernel/tracing/trace", "");
	expect_of(&request, "tracepoints", CHECK_FOUND, "sched:sched_switch", NULL);
	/* if the kernel lists its tracepoints, this one must be listed */
	put("/sys/kernel/tracing/events/sched/sched_wakeup/id", "1\n");
	expect_of(&request, "tracepoints", CHECK_MISSING, "no tracepoint sched:sched_switch",
		"CONFIG_TRACEPOINTS");
	put("/sys/kernel/tracing/events/sched/sched_switch/id", "2\n");
	expect_of(&request, "tracepoints", CHECK_FOUND, "sched:sched_switch", NULL);
	request = built_in;
	request.tool = &untimed;
	expect_of(&request, "tracepoints", CHECK_FOUND, "sched:sched_switch", NULL);
}

/* The preflight for recordings at functions of programs. */
static void test_bpf_uprobes(void **state)
{
	struct check_request request = built_in;

	(void)state;
	request.probes_program = true;
	expect_of(&request, "uprobes", CHECK_MISSING, "cannot be probed", "CONFIG_UPROBE_EVENTS");
	put(BUILD "/.config",
		"CONFIG_BPF_EVENTS=y\nCONFIG_UPROBE_EVENTS=y\nCONFIG_PERF_EVENTS=y\n");
	expect_of(&request, "uprobes", CHECK_FOUND, "can be probed", NULL);
}

static void test_signature(void **state)
{
	struct check_request request = usual;

	(void)state;
	put_bytes("/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		"\6\0\0\0\1", 5, 0644);
	expect("module signature", CHECK_FOUND, "Secure Boot is on", NULL);
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect("module signature", CHECK_MISSING, "lockdown for integrity (Secure", "mokutil");
	request.module_given = true;
	expect_of(
		&request, "module signature", CHECK_MISSING, "the module is not signed", "sign it");
	request.module_signed = true;
	expect_of(&request, "module signature", CHECK_FOUND, "the module is signed", NULL);
	put("/sys/module/module/parameters/sig_enforce", "Y\n");
	expect("module signature", CHECK_MISSING, "module.sig_enforce", "mokutil");
}

static void test_fips(void **state)
{
	(void)state;
	put("/proc/sys/crypto/fips_enabled", "1\n");
	expect("module signature", CHECK_MISSING, "FIPS", "STAP_FIPS_OVERRIDE");
	setenv("STAP_FIPS_OVERRIDE", "1", 1);
	expect("module signature", CHECK_FOUND, "not required", NULL);
}

static void be_user(const char *groups)
{
	char *status = xasprintf("Uid:\t1000\t1000\nGid:\t1000\t1000\nGroups:\t%s \n"
				 "CapEff:\t0000000000000000\n",
		groups);

	put("/proc/self/status", status);
	free(status);
}

static void test_rights(void **state)
{
	struct check_request given = usual;

	(void)state;
	given.module_given = true;
	be_user("24 158 156");
	expect("rights", CHECK_FOUND, "stapdev", NULL);
	expect("kernel names", CHECK_DEGRADED, "only root", "sudo");
	be_user("156 1580");
	expect("rights", CHECK_MISSING, "only what an administrator", "stapdev");
	expect_of(&given, "rights", CHECK_DEGRADED, "/lib/modules/" RELEASE "/systemtap", "put");
	be_user("24");
	expect("rights", CHECK_MISSING, "neither root", "sudo");
	put("/proc/self/status", "Uid:\t0\t0\nCapEff:\t00000000a80425fb\n");
	expect("rights", CHECK_MISSING, "CAP_SYS_MODULE", "host");
}

static void test_staprun(void **state)
{
	(void)state;
	put_bytes("/usr/bin/staprun", "", 0, 0755);
	expect("staprun", CHECK_FOUND, "/usr/bin/staprun", NULL);
	be_user("156 158");
	expect("staprun", CHECK_MISSING, "not setuid", "sudo");
	take("/usr/bin/staprun");
	expect("staprun", CHECK_MISSING, "not installed", "systemtap-runtime");
}

static void test_container(void **state)
{
	(void)state;
	put("/.dockerenv", "");
	expect("container", CHECK_DEGRADED, "paths", "host");
	put_link("/proc/self/ns/mnt", "mnt:[4026531840]");
	put_link("/proc/1/ns/mnt", "mnt:[4026531840]");
	expect("container", CHECK_FOUND, "none", NULL);
	put_link("/proc/self/ns/pid", "pid:[4026532600]");
	expect("container", CHECK_DEGRADED, "process numbers", "host");
}

static void test_kernel_names(void **state)
{
	struct check_request request = usual;
	struct checks checks;

	(void)state;
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	expect("kernel names", CHECK_FOUND, "from 2 to 1", NULL);
	take("/proc/kallsyms");
	expect("kernel names", CHECK_MISSING, "no /proc/kallsyms", "CONFIG_KALLSYMS");
	put("/proc/kallsyms", "");
	request.kernel = false;
	checks_run(&checks, &request);
	assert_null(line_of(&checks, "kernel names"));
	checks_release(&checks);
}

static void test_other_kernel(void **state)
{
	struct check_request request = usual;
	struct checks checks;

	(void)state;
	take("/proc/modules");
	request.release = RELEASE;
	checks_run(&checks, &request);
	assert_false(checks.compile_only);
	assert_false(checks_fit(&checks));
	checks_release(&checks);
	put("/proc/sys/kernel/osrelease", "6.18.0\n");
	checks_run(&checks, &request);
	assert_true(checks.compile_only);
	assert_true(checks_fit(&checks));
	assert_null(line_of(&checks, "rights"));
	checks_release(&checks);
}

static void test_module_given(void **state)
{
	struct check_request request = usual;
	struct checks checks;

	(void)state;
	take("/usr/bin/stap");
	take("/usr/bin/gcc");
	take(BUILD "/Makefile");
	request.module_given = true;
	checks_run(&checks, &request);
	assert_true(checks_fit(&checks));
	assert_null(line_of(&checks, "compiler"));
	checks_release(&checks);
	expect_of(&request, "module", CHECK_FOUND, "built for this kernel", NULL);
	request.module_fault = "'m.ko' was built for kernel 9.9.9\n";
	expect_of(&request, "module", CHECK_MISSING, "built for kernel 9.9.9", NULL);
}

/* Starts a child that runs the program at PATH and does nothing, until the test ends it. */
static uint32_t start(const char *path)
{
	int ready[2];
	char byte;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		execl(path, path, "1000", NULL);
		_exit(127);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 0); /* exec has closed the pipe */
	close(ready[0]);
	return (uint32_t)pid;
}

static void end(uint32_t pid)
{
	kill((pid_t)pid, SIGKILL);
	waitpid((pid_t)pid, NULL, 0);
}

static void test_program_names(void **state)
{
	char *stripped = in_root("/a sleeper");
	char *command = xasprintf(
		"cp \"$(command -v sleep)\" '%s' && strip '%s' 2>/dev/null", stripped, stripped);
	struct check_request request = usual;
	uint32_t pid;

	(void)state;
	if (system(command)) {
		free(stripped);
		free(command);
		printf("# skipped: no sleep, or no strip\n");
		skip();
	}
	request.pids = &pid;
	request.nr_pids = 1;
	pid = start(stripped);
	expect_of(
		&request, "program names", CHECK_DEGRADED, "/a sleeper (build-id", "debug symbols");
	end(pid);
	expect_of(
		&request, "program names", CHECK_MISSING, "there is no process", "running process");
	free(stripped);
	free(command);
}

static void test_perl(void **state)
{
	struct check_request request = usual;
	uint32_t pid;

	(void)state;
	request.pids = &pid;
	request.nr_pids = 1;
	request.vms = VM_BIT(VM_PERL);
	pid = start("/bin/sleep");
	expect_of(&request, "perl", CHECK_MISSING, "runs no Perl", "that does");
	request.children = true;
	expect_of(&request, "perl", CHECK_DEGRADED, "runs no Perl yet", NULL);
	request.children = false;
	request.vms = VM_BIT(VM_PERL) | VM_BIT(VM_PYTHON);
	expect_of(&request, "vm", CHECK_MISSING, "runs no Perl or Python", "that does");
	request.vms = VM_ALL;
	request.any_vm = request.user = true;
	expect_of(
		&request, "vm", CHECK_DEGRADED, "runs no Perl, Lua, Python, Ruby or PHP yet", NULL);
	end(pid);
}

static bool sees_perl(const struct check_request *request)
{
	struct checks checks;

	checks_run(&checks, request);
	bool found = line_of(&checks, "perl")->state == CHECK_FOUND;

	checks_release(&checks);
	return found;
}

static void test_perl_found(void **state)
{
	struct check_request request = usual;
	uint32_t pids[2];

	(void)state;
	if (access("/usr/bin/perl", X_OK)) {
		printf("# skipped: no perl\n");
		skip();
	}
	put_program("/perl", "#!/usr/bin/perl\nsleep 1000;\n");
	char *script = in_root("/perl");

	request.pids = pids;
	request.nr_pids = 2;
	request.vms = VM_BIT(VM_PERL);
	pids[0] = start("/bin/sleep");
	pids[1] = start(script);
	for (int i = 0; i < 200 && !sees_perl(&request); i++)
		usleep(50000); /* the program may still be being loaded */
	expect_of(&request, "perl", CHECK_FOUND, "perl 5.", NULL);
	request.vms = VM_ALL;
	expect_of(&request, "perl", CHECK_FOUND, "perl 5.", NULL);
	end(pids[0]);
	end(pids[1]);
	free(script);
}

static void test_no_machine(void **state)
{
	struct check_request request = {
		.root = "/nonexistent", .tool = &timed, .kernel = true, .user = true};

	(void)state;
	expect_of(&request, "stap", CHECK_MISSING, "not installed", "install");
	put("/proc/self/status", "");
	expect("rights", CHECK_DEGRADED, "without /proc", "mount");
}

static void test_bpf_kernel(void **state)
{
	(void)state;
	put("/proc/sys/kernel/osrelease", "5.10.0-32-amd64\n");
	expect_bpf("bpf kernel", CHECK_FOUND, "5.10.0", NULL);
	put("/proc/config.gz", "CONFIG_PERF_EVENTS=y\n# CONFIG_BPF_EVENTS is not set\n");
	expect_bpf("bpf kernel", CHECK_MISSING, "not run BPF programs", "CONFIG_BPF_EVENTS");
	take("/sys/kernel/btf/vmlinux");
	take("/proc/config.gz");
	expect_bpf("kernel types", CHECK_MISSING, "/sys/kernel/btf", "CONFIG_DEBUG_INFO_BTF");
}

static void be_capable(const char *ids, const char *capabilities)
{
	char *status = xasprintf("Uid:\t%s\nCapEff:\t%s\n", ids, capabilities);

	put("/proc/self/status", status);
	free(status);
}

static void test_bpf_rights(void **state)
{
	(void)state;
	be_capable("1000\t1000", "0000000000000000");
	expect_bpf(
		"bpf rights", CHECK_MISSING, "CAP_BPF, to load programs; no CAP_PERFMON", "sudo");
	be_capable("1000\t1000", "0000004000000000");
	expect_bpf("bpf rights", CHECK_MISSING, "no CAP_BPF, to load programs", "sudo");
	be_capable("1000\t1000", "0000008000000000");
	expect_bpf("bpf rights", CHECK_MISSING, "no CAP_PERFMON", "sudo");
	be_capable("0\t0", "00000000a80425fb");
	expect_bpf("bpf rights", CHECK_MISSING, "no CAP_BPF", "give the container");
	be_capable("1000\t1000", "000000c000000000");
	expect_bpf("bpf rights", CHECK_FOUND, "CAP_BPF and CAP_PERFMON", NULL);
	be_capable("0\t0", "0000000000200000");
	expect_bpf("bpf rights", CHECK_FOUND, "CAP_SYS_ADMIN", NULL);
	put_link("/proc/self/ns/user", "user:[4026532600]");
	expect_bpf("bpf rights", CHECK_MISSING, "user namespace", "host");
	put("/proc/self/status", "");
	expect_bpf("bpf rights", CHECK_DEGRADED, "without /proc", "mount");
}

static void test_bpf_lockdown(void **state)
{
	(void)state;
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	expect_bpf("lockdown", CHECK_FOUND, "none that matters", NULL);
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	expect_bpf("lockdown", CHECK_MISSING, "may not read memory", "boot without");
}

static void test_bpf_container(void **state)
{
	(void)state;
	put("/.dockerenv", "");
	expect_bpf("container", CHECK_FOUND, "none", NULL);
	put_link("/proc/self/ns/pid", "pid:[4026532600]");
	expect_bpf("container", CHECK_FOUND, "-a means the processes in it", NULL);
	put("/proc/self/status", "NSpid:\t1302\t1\nCapEff:\t000001ffffffffff\n");
	expect_bpf("container", CHECK_MISSING, "another PID namespace", "--mount-proc");
}

static void test_bpf_files(void **state)
{
	struct check_request kernel = built_in;
	struct checks checks;

	(void)state;
	be_capable("1000\t1000", "000000c000000000");
	expect_bpf("program files", CHECK_DEGRADED,
		"from files of other users' processes (CAP_SYS_PTRACE), deleted files "
		"(CAP_CHECKPOINT_RESTORE), files that only others may read (CAP_DAC_READ_SEARCH)",
		"sudo");
	be_capable("1000\t1000", "000000c000080004");
	expect_bpf("program files", CHECK_DEGRADED, "from deleted files", "sudo");
	be_capable("1000\t1000", "000001c000080004");
	expect_bpf("program files", CHECK_FOUND, "all processes", NULL);
	kernel.user = false;
	checks_run(&checks, &kernel);
	assert_null(line_of(&checks, "program files"));
	checks_release(&checks);
}

static void test_bpf_names(void **state)
{
	struct check_request user = built_in;
	struct checks checks;

	(void)state;
	put("/proc/sys/kernel/kptr_restrict", "2\n");
	expect_bpf("kernel names", CHECK_DEGRADED, "hidden from all users", "kptr_restrict to 1");
	put("/proc/sys/kernel/kptr_restrict", "0\n");
	be_capable("1000\t1000", "000000c000000000");
	expect_bpf("kernel names", CHECK_DEGRADED, "without CAP_SYSLOG", "sudo");
	put("/proc/sys/kernel/perf_event_paranoid", "1\n");
	expect_bpf("kernel names", CHECK_FOUND, "/proc/kallsyms", NULL);
	put("/proc/sys/kernel/kptr_restrict", "1\n");
	expect_bpf("kernel names", CHECK_DEGRADED, "without CAP_SYSLOG", "sudo");
	be_capable("1000\t1000", "000000c400000000");
	expect_bpf("kernel names", CHECK_FOUND, "/proc/kallsyms", NULL);
	take("/proc/kallsyms");
	expect_bpf("kernel names", CHECK_DEGRADED, "there is no", "CONFIG_KALLSYMS");
	user.kernel = false;
	checks_run(&checks, &user);
	assert_null(line_of(&checks, "kernel names"));
	checks_release(&checks);
}

/* Stands for programs that run and take no sample. */
static int take_none(const struct engine_request *request, struct trial *trial, struct strbuf *err)
{
	(void)request;
	(void)err;
	*trial = (struct trial){0};
	return 0;
}

static void test_trial(void **state)
{
	struct check_request request = built_in;

	(void)state;
	request.try_it = take_none;
	expect_of(&request, "trial", CHECK_MISSING, "took no sample", "less busy");
	request.tool = &untimed;
	take(BUILD "/.config");
	put("/sys/kernel/tracing/events/sched/sched_switch/id", "2\n");
	expect_of(&request, "trial", CHECK_FOUND, "had none of the events", NULL);
}

static char *print(
	void (*write)(const struct checks *, size_t, FILE *), const struct checks *list, size_t nr)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	write(list, nr, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_output(void **state)
{
	struct check list[] = {
		{"stap", CHECK_FOUND, (char *)"a\033[2J\xc2\x9b\xff\xc3\xa9", NULL},
		{"kernel headers", CHECK_MISSING, (char *)"\"gone\"", (char *)"buy\nsome"},
	};
	struct checks checks = {.engine = "stap", .list = list, .nr = 1};
	char *text = print(checks_text, &checks, 1);

	(void)state;
	assert_string_equal(text, "found     stap              a?[2J??\xc3\xa9\n"
				  "a recording would work\n");
	free(text);
	checks.nr = 2;
	text = print(checks_text, &checks, 1);
	assert_non_null(strstr(text, "\nmissing   kernel headers    \"gone\"; buy?some\n"
				     "a recording cannot work: 1 missing\n"));
	free(text);
	text = print(checks_json, &checks, 1);
	assert_string_equal(text,
		"{\"works\": false, \"compile_only\": false, \"engine\": null, \"checks\": [\n"
		"  {\"engine\": \"stap\", \"name\": \"stap\", \"state\": \"found\", "
		"\"what\": \"a\\u001b[2J\xc2\x9b\\\\xff\xc3\xa9\", \"remedy\": null},\n"
		"  {\"engine\": \"stap\", \"name\": \"kernel headers\", \"state\": \"missing\", "
		"\"what\": \"\\\"gone\\\"\", \"remedy\": \"buy\\u000asome\"}\n]}\n");
	free(text);
}

static void test_two_engines(void **state)
{
	struct check gone = {"stap", CHECK_MISSING, (char *)"gone", NULL};
	struct check there = {"bpf kernel", CHECK_FOUND, (char *)"6.1", NULL};
	struct checks checks[] = {
		{.engine = "stap", .by = "SystemTap", .list = &gone, .nr = 1},
		{.engine = "bpf", .by = "the built-in engine", .list = &there, .nr = 1},
	};
	char *text = print(checks_text, checks, 2);

	(void)state;
	assert_string_equal(text, "SystemTap:\nmissing   stap              gone\n"
				  "a recording by SystemTap cannot work: 1 missing\n\n"
				  "the built-in engine:\nfound     bpf kernel        6.1\n"
				  "a recording by the built-in engine would work\n\n"
				  "the built-in engine would record\n");
	free(text);
	text = print(checks_json, checks, 2);
	assert_string_equal(text,
		"{\"works\": true, \"compile_only\": false, \"engine\": \"bpf\", \"checks\": [\n"
		"  {\"engine\": \"stap\", \"name\": \"stap\", \"state\": \"missing\", "
		"\"what\": \"gone\", \"remedy\": null},\n"
		"  {\"engine\": \"bpf\", \"name\": \"bpf kernel\", \"state\": \"found\", "
		"\"what\": \"6.1\", \"remedy\": null}\n]}\n");
	free(text);
	gone.state = CHECK_DEGRADED;
	assert_ptr_equal(checks_first_fit(checks, 2), &checks[0]);
	gone.state = there.state = CHECK_MISSING;
	assert_null(checks_first_fit(checks, 2));
	text = print(checks_text, checks, 2);
	assert_non_null(strstr(text, "\n\nno engine would record\n"));
	free(text);
}

static void test_root(void **state)
{
	struct strbuf text = STRBUF_INIT;

	(void)state;
	put("/etc/secret", "inside");
	put_link("/up", "../../../../../../etc/secret");
	put_link("/loop", "/loop");
	assert_int_equal(root_read(root, "/up", &text), 0);
	assert_string_equal(text.buf, "inside");
	assert_int_equal(root_read(root, "/loop", &text), -1);
	assert_int_equal(root_read(root, "/etc", &text), -1);
	put_bytes("/bad.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3garbage", 17, 0644);
	assert_int_equal(root_read(root, "/bad.gz", &text), -1);
	strbuf_release(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, put_machine, take_machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),
		TEST(test_stap),
		TEST(test_kernel_changes),
		TEST(test_kernel_patched),
		TEST(test_kernel_version),
		TEST(test_headers),
		TEST(test_compiler),
		TEST(test_modules),
		TEST(test_options),
		TEST(test_bpf_uprobes),
		TEST(test_signature),
		TEST(test_fips),
		TEST(test_rights),
		TEST(test_staprun),
		TEST(test_container),
		TEST(test_kernel_names),
		TEST(test_other_kernel),
		TEST(test_module_given),
		TEST(test_program_names),
		TEST(test_perl),
		TEST(test_perl_found),
		TEST(test_no_machine),
		TEST(test_bpf_kernel),
		TEST(test_bpf_rights),
		TEST(test_bpf_lockdown),
		TEST(test_bpf_container),
		TEST(test_bpf_files),
		TEST(test_bpf_names),
		TEST(test_trial),
		TEST(test_output),
		TEST(test_two_engines),
		TEST(test_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
