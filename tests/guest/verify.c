/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify OBJECTS NAMESPACE [MODE]: loads the BPF programs in the files OBJECTS.TOOL.o, and those
 * without interpreters and labels in OBJECTS.TOOL.plain.o, for each kind of recording for which
 * src/engine/bpf/programs.c loads them, as it does, and attaches none. MODE is one of these kinds,
 * or "most": the kinds that contain most of what the others verify; or "main": of these, the tools
 * with interpreters and labels are left out, except ticks and waits. A file that is loaded for no
 * kind is loaded for user and kernel stacks. NAMESPACE is the inode of the pid namespace whose
 * numbers count, or 0 for the first one. Prints "MODE PROGRAM INSTRUCTIONS" with the number of
 * instructions that the verifier processed, and "MODE taken"; or, after a refusal, "MODE refused
 * ERROR" and the end of the verifier's log with "# " before its lines. Exit: 0, 1 if one was
 * refused, 2 if there is no such file or mode.
 */
#include "engine/bpf/features.h"
#include "engine/bpf/kern/shared.h"
#include "lib/util.h"
#include "tool/exits/trace_exits.h"
#include "tool/locks/locks.h"
#include "tool/off_cpu/off_cpu.h"
#include "tool/requests/request_times.h"
#include "runtime/vm.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PROGRAMS_MAX = 32,
	FIGURES = 4,              /* log level: BPF_LOG_STATS of include/linux/bpf_verifier.h */
	LOG_SIZE = (1 << 24) - 1, /* no kernel refuses one so large */
	ROOM = 16384,             /* rows and nodes */
	LAST_LINES = 25,
	WAITS_ALL = (1 << WAIT_NONE) - 1,
};

#define ALL_LABELS .labels = true, .label_keys = {[0 ... LABEL_KINDS - 1] = UINT32_MAX}
#define ALL_VMS_AND_LABELS .vm = VM_ALL, .vm_by_native = VM_BIT(VM_LUA), ALL_LABELS

static const struct mode {
	const char *name, *tool;
	struct settings settings;
} modes[] = {
	{"-uk", "on_cpu", {.user = true, .kernel = true}},
	{"--perl", "on_cpu", {.vm = VM_BIT(VM_PERL), .kernel = true}},
	{"--python", "on_cpu", {.vm = VM_BIT(VM_PYTHON), .kernel = true}},
	{"--ruby", "on_cpu", {.vm = VM_BIT(VM_RUBY), .kernel = true}},
	{"--lua", "on_cpu", {.vm = VM_BIT(VM_LUA), .vm_by_native = VM_BIT(VM_LUA), .kernel = true}},
	{"--php", "on_cpu", {.vm = VM_BIT(VM_PHP), .kernel = true}},
	{"--nginx", "on_cpu", {.user = true, .kernel = true, ALL_LABELS}},
	{"--nginx--lua", "on_cpu", {.kernel = true, ALL_VMS_AND_LABELS}},
	{"--mixed", "on_cpu", {.user = true, .kernel = true, ALL_VMS_AND_LABELS}},
	{"off-cpu", "off_cpu", {.user = true, .kernel = true, .option = {WAITS_ALL}}},
	{"off-cpu--nginx", "off_cpu",
		{.user = true, .kernel = true, ALL_LABELS, .option = {WAITS_ALL}}},
	{"off-cpu--mixed", "off_cpu",
		{.user = true, .kernel = true, ALL_VMS_AND_LABELS, .option = {WAITS_ALL}}},
	{"pools", "pools", {.user = true, .kernel = true, ALL_LABELS}},
	{"syscalls", "syscalls", {.user = true}},
	{"syscalls--mixed", "syscalls", {.user = true, ALL_VMS_AND_LABELS}},
	{"wall", "wall", {.user = true, .kernel = true}},
	{"wall--mixed", "wall", {.user = true, .kernel = true, ALL_VMS_AND_LABELS}},
	{"locks", "locks", {.user = true, .kernel = true, .option = {0, 0, RELEASER_STACK}}},
	{"locks--mixed", "locks",
		{.user = true,
			.kernel = true,
			ALL_VMS_AND_LABELS,
			.option = {0, 0, RELEASER_STACK}}},
	{"wakers", "wakers", {.user = true, .kernel = true, .option = {WAITS_ALL, 0, 0, 4}}},
	{"wakers--mixed", "wakers",
		{.user = true, .kernel = true, ALL_VMS_AND_LABELS, .option = {WAITS_ALL, 0, 0, 4}}},
	{"vfs", "vfs", {.user = true}},
	{"vfs--mixed", "vfs", {.user = true, ALL_VMS_AND_LABELS}},
	{"alloc", "alloc", {.user = true, .option = {1 << 17}}},
	{"alloc--mixed", "alloc", {.user = true, ALL_VMS_AND_LABELS, .option = {1 << 17}}},
	{"leaks", "alloc", {.user = true, .option = {[0] = 1 << 17, [4] = 1 << 17}}},
	{"leaks--mixed", "alloc",
		{.user = true, ALL_VMS_AND_LABELS, .option = {[0] = 1 << 17, [4] = 1 << 17}}},
	{"at", "at", {.user = true, .kernel = true}},
	{"at--mixed", "at", {.user = true, .kernel = true, ALL_VMS_AND_LABELS}},
	{"faults", "faults", {.user = true, .kernel = true}},
	{"faults--mixed", "faults", {.user = true, .kernel = true, ALL_VMS_AND_LABELS}},
	{"rss", "rss", {.user = true, .kernel = true, .option = {11}}},
	{"rss--mixed", "rss", {.user = true, .kernel = true, ALL_VMS_AND_LABELS, .option = {11}}},
	{"mmap", "mmap", {.user = true}},
	{"mmap--mixed", "mmap", {.user = true, ALL_VMS_AND_LABELS}},
	{"tcp", "tcp", {.user = true, .kernel = true, .option = {31}}},
	{"tcp--mixed", "tcp", {.user = true, .kernel = true, ALL_VMS_AND_LABELS, .option = {31}}},
	{"block", "block", {.user = true, .kernel = true, .option = {63}}},
	{"block--mixed", "block",
		{.user = true, .kernel = true, ALL_VMS_AND_LABELS, .option = {63}}},
	/* which tasks are recorded is verified without their stacks */
	{"--comm", "on_cpu", {.by_comm = true}},
	{"--cgroup", "on_cpu", {.by_cgroup = true}},
	{"off-cpu--comm", "off_cpu", {.by_comm = true, .option = {WAITS_ALL}}},
	{"off-cpu--cgroup", "off_cpu", {.by_cgroup = true, .option = {WAITS_ALL}}},
	/* these have settings of their own */
	{"exits", "trace_exits", {0}},
	{"requests", "request_times", {0}},
};

/* Modes whose programs are mostly verified in other modes, too, or are like others. */
static const char *const parts[] = {"--perl", "--python", "--ruby", "--lua", "--php", "--nginx",
	"--nginx--lua", "off-cpu--nginx", "off-cpu--comm", "off-cpu--cgroup", "alloc",
	"alloc--mixed", "at--mixed", "faults--mixed", "rss--mixed", "mmap--mixed", "tcp--mixed",
	"block--mixed", NULL};

/* The programs that only kernels with bpf_find_vma() load. */
static const char *const mapped[] = {"on_minor_mapped", "on_major_mapped", NULL};

/* The programs that only kernels load whose tracepoints tell the request of io_uring. */
static const char *const uring[] = {"on_submit", "old_submit", "on_complete", NULL};

/* The programs in place of which older kernels load others, which differ in one argument. */
static const char *const newer[] = {"on_insert", "on_issue", "on_ask", NULL};
static const char *const older[] = {"old_insert", "old_issue", "old_ask", NULL};

/* The same for the counters of memory, which have parts for each processor since Linux 6.2. */
static const char *const rss[] = {"on_rss", "scan_memories", NULL};
static const char *const old_rss[] = {"old_rss", "scan_old_memories", NULL};

static char *logs[PROGRAMS_MAX];

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

static void set_logs(struct bpf_object *object, int log_level)
{
	struct bpf_program *program;
	int nr = 0;

	for (int i = 0; i < PROGRAMS_MAX; i++)
		*logs[i] = 0;
	bpf_object__for_each_program(program, object)
	{
		if (nr == PROGRAMS_MAX)
			continue;
		bpf_program__set_log_level(program, (unsigned)log_level);
		bpf_program__set_log_buf(program, logs[nr++], LOG_SIZE);
	}
}

static void set_size(struct bpf_map *map, bool vm, bool label)
{
	static const char *const sums[] = {"rows_0", "rows_1", "nodes_0", "nodes_1", NULL};
	static const char *const of_vm[] = {"vm_layouts", "vm_sent", NULL};
	static const char *const of_label[] = {"label_layouts", "label_sent", NULL};
	const char *name = bpf_map__name(map);
	int cpus = libbpf_num_possible_cpus();
	uint32_t nr_cpus = cpus > 0 ? (uint32_t)cpus : 1;

	if (is_one_of(name, sums))
		bpf_map__set_max_entries(map, ROOM);
	else if (!strcmp(name, "counters"))
		bpf_map__set_max_entries(map, nr_cpus * LANES);
	else if (!strcmp(name, "rule_cache"))
		bpf_map__set_max_entries(map, nr_cpus * RULE_CACHE_SIZE);
	else if ((is_one_of(name, of_vm) && !vm) || (is_one_of(name, of_label) && !label))
		bpf_map__set_max_entries(map, 1);
	else if (!strcmp(name, "label_cache"))
		bpf_map__set_max_entries(map, label ? nr_cpus * LANES * LABEL_CACHE_SIZE : 1);
	for (size_t i = 0; i < NR_VMS; i++)
		for (const struct vm_map *m = vms[i]->maps; m->name; m++)
			if (!strcmp(name, m->name))
				bpf_map__set_max_entries(map, vm ? nr_cpus * m->entries : 1);
}

/* The only constant of the programs is their settings; if that is no longer so, -EINVAL. */
static int set_settings(struct bpf_map *map, const struct mode *mode)
{
	const struct exits_settings exits = {
		.vmstate = -0x1000, .vmstate_at = 0xb8, .traces = 0x300}; /* or any others */

	const struct times_settings times = {.pid_ns = mode->settings.pid_ns,
		.by = NGINX_URI,
		.where = NGINX_HOST,
		.slowest = TIMES_SLOWEST_MAX,
		.phases = true,
		.cached_time = 1 << 20};

	if (!strcmp(mode->tool, "trace_exits"))
		return bpf_map__set_initial_value(map, &exits, sizeof(exits));
	if (!strcmp(mode->tool, "request_times"))
		return bpf_map__set_initial_value(map, &times, sizeof(times));
	return bpf_map__set_initial_value(map, &mode->settings, sizeof(mode->settings));
}

static int set_maps(struct bpf_object *object, const struct mode *mode)
{
	struct bpf_map *map;
	int error = -EINVAL;

	bpf_object__for_each_map(map, object)
	{
		const char *name = bpf_map__name(map);

		set_size(map, mode->settings.vm, mode->settings.labels);
		if (strlen(name) > 7 && !strcmp(name + strlen(name) - 7, ".rodata"))
			error = set_settings(map, mode);
	}
	return error;
}

static void say_figures(const struct bpf_object *object, const char *mode)
{
	struct bpf_program *program;
	int nr = 0;

	bpf_object__for_each_program(program, object)
	{
		/* Linux 7 has a line of the same words about each function before it */
		const char *figures = nr < PROGRAMS_MAX ? strstr(logs[nr++], "\nprocessed ") : NULL;

		if (figures)
			printf("%s %s %lu\n", mode, bpf_program__name(program),
				strtoul(figures + strlen("\nprocessed "), NULL, 10));
	}
}

/* Prints the end of the last log: the verifier looks at no program after one that it refuses. */
static void say_log(void)
{
	for (int i = PROGRAMS_MAX - 1; i >= 0; i--) {
		const char *at = logs[i] + strlen(logs[i]);

		if (!*logs[i])
			continue;
		for (int lines = 0; at > logs[i] && lines <= LAST_LINES; at--)
			lines += at[-1] == '\n';
		for (char *line = strtok((char *)(uintptr_t)at, "\n"); line;
			line = strtok(NULL, "\n"))
			printf("# %s\n", line);
		return;
	}
}

/* Leaves out the programs that the engine does not load on this kernel, either. */
static void leave_out(const struct bpf_object *object)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, object)
	{
		const char *name = bpf_program__name(program);

		if ((is_one_of(name, mapped) && !features_find_vma()) ||
			(is_one_of(name, uring) && !features_io_uring()) ||
			is_one_of(name, features_tracepoint("block_rq_issue", 2) ? newer : older) ||
			is_one_of(name, features_tracepoint("rss_stat", 3) ? rss : old_rss))
			bpf_program__set_autoload(program, false);
	}
}

/* Returns 0 or an error, which is -ENOENT if the file cannot be read. */
static int load(const char *path, const struct mode *mode, int level)
{
	struct bpf_object *object = bpf_object__open_file(path, NULL);
	int error;

	if (!object)
		return -ENOENT;
	set_logs(object, level);
	leave_out(object);
	error = set_maps(object, mode);
	if (!error)
		error = bpf_object__load(object);
	if (!error)
		say_figures(object, mode->name);
	else if (level != FIGURES)
		say_log();
	bpf_object__close(object);
	return error;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static int verify(const char *path, uint32_t namespace, struct mode mode)
{
	struct settings *settings = &mode.settings;
	int error;

	settings->pids = settings->tids = settings->children = true;
	settings->state_arg = features_switch_state();
	settings->pid_ns = namespace;
	settings->slice_ns = 10000000;
	error = load(path, &mode, FIGURES);
	if (error) {
		printf("%s refused %s\n", mode.name, strerror(-error));
		load(path, &mode, 1);
	} else {
		printf("%s taken\n", mode.name);
	}
	return error == -ENOENT ? 2 : error ? 1 : 0;
}

static bool is_main(const struct mode *mode)
{
	static const char *const tools[] = {"on_cpu", "off_cpu", NULL};

	return is_one_of(mode->tool, tools) || !mode->settings.vm;
}

/* Returns whether MODE is one of the WANTED modes, or whether WANTED is NULL. */
static bool is_wanted(const struct mode *mode, const char *wanted)
{
	if (!wanted)
		return true;
	if (!strcmp(wanted, "most"))
		return !is_one_of(mode->name, parts);
	if (!strcmp(wanted, "main"))
		return !is_one_of(mode->name, parts) && is_main(mode);
	return !strcmp(mode->name, wanted);
}

static bool has_own_settings(const struct mode *mode)
{
	return !strcmp(mode->tool, "trace_exits") || !strcmp(mode->tool, "request_times");
}

/* Returns whether MODE is recorded by the file with the programs NAME: TOOL or TOOL.plain. */
static bool is_recorded_by(const struct mode *mode, const char *name)
{
	bool is_plain = !has_own_settings(mode) && !mode->settings.vm && !mode->settings.labels;
	size_t len = strlen(mode->tool);

	return !strncmp(name, mode->tool, len) && !strcmp(name + len, is_plain ? ".plain" : "");
}

/*
 * Verifies the file OBJECTS.NAME.o at PATH in the WANTED modes that it records. Returns the worst
 * status, or -1 if none of them is wanted.
 */
static int verify_file(
	const char *path, const char *objects, uint32_t namespace, const char *wanted)
{
	const char *at = path + strlen(objects) + 1;
	char *name = xstrndup(at, strlen(at) - strlen(".o"));
	struct mode stacks = {name, name, {.user = true, .kernel = true}};
	bool has_mode = false;
	int worst = -1;

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		if (!is_recorded_by(&modes[i], name))
			continue;
		has_mode = true;
		if (is_wanted(&modes[i], wanted))
			worst = max_int(worst, verify(path, namespace, modes[i]));
	}
	if (!has_mode && is_wanted(&stacks, wanted))
		worst = verify(path, namespace, stacks);
	free(name);
	return worst;
}

int main(int argc, char **argv)
{
	glob_t found = {0};
	int worst = -1;

	if (argc < 3)
		return 2;
	char *pattern = xasprintf("%s.*.o", argv[1]);
	uint32_t namespace = (uint32_t)strtoul(argv[2], NULL, 10);

	libbpf_set_print(say_nothing);
	for (int i = 0; i < PROGRAMS_MAX; i++)
		logs[i] = xcalloc(1, LOG_SIZE);
	glob(pattern, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		worst = max_int(worst, verify_file(found.gl_pathv[i], argv[1], namespace, argv[3]));
	globfree(&found);
	free(pattern);
	return worst < 0 ? 2 : worst;
}
