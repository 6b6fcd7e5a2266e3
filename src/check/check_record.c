/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The preflight's last part: sources of samples and names. */
#include "check_list.h"
#include "engine/tool.h"
#include "lib/root.h"
#include "lib/util.h"
#include "process/process.h"
#include "process/task.h"
#include "symbol/elf/elffacts.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>

/*
 * True if the kernel has OPTION or if this is unknown. Without the kernel's configuration, PATH
 * exists if the running kernel has OPTION.
 */
static bool has_option(const struct check_context *c, const char *option, const char *path)
{
	char value = check_config(c, option);

	if (value)
		return value == 'y';
	return c->checks->compile_only || !root_exists(c->request->root, "/sys/kernel") ||
	       root_exists(c->request->root, path);
}

void check_timer(struct check_context *c)
{
	if (!tool_is_timed(c->request->tool))
		return;
	if (has_option(c, "CONFIG_PERF_EVENTS", "/proc/sys/kernel/perf_event_paranoid")) {
		check_found(c, "the kernel's perf events");
		return;
	}
	check_missing(c, "this kernel has no perf events, which trigger the samples");
	check_remedy(c, "record on a kernel with CONFIG_PERF_EVENTS");
}

/* True if the running kernel lists its tracepoints and GROUP:NAME is not among them. */
static bool lacks_tracepoint(const struct check_context *c, const char *tracepoint)
{
	static const char folder[] = "/sys/kernel/tracing/events";
	int group = (int)strcspn(tracepoint, ":");
	char *path = xasprintf("%s/%.*s/%s", folder, group, tracepoint, tracepoint + group + 1);
	bool lacks = !c->checks->compile_only && root_exists(c->request->root, folder) &&
		     !root_exists(c->request->root, path);

	free(path);
	return lacks;
}

void check_tracepoints(struct check_context *c)
{
	const struct tool *tool = c->request->tool;
	struct strbuf found = STRBUF_INIT, missing = STRBUF_INIT;

	for (size_t i = 0; i < tool->nr_probes; i++) {
		const char *tracepoint = tool->probes[i].tracepoint;
		struct strbuf *list = &found;

		if (!tracepoint)
			continue;
		if (!has_option(c, "CONFIG_TRACEPOINTS", "/sys/kernel/tracing") ||
			lacks_tracepoint(c, tracepoint))
			list = &missing;
		strbuf_addf(list, "%s%s", list->len ? ", " : "", tracepoint);
	}
	if (missing.len) {
		check_missing(c, "this kernel has no tracepoint %s", missing.buf);
		check_remedy(c, "record on a kernel with CONFIG_TRACEPOINTS");
	} else if (found.len) {
		check_found(c, "%s", found.buf);
	}
	strbuf_release(&found);
	strbuf_release(&missing);
}

/* Reports whether functions can be probed, which sampling does not need, but users' scripts may. */
static void report_probes(
	struct check_context *c, const char *option, const char *path, const char *what)
{
	if (has_option(c, option, path))
		check_found(c, "%s can be probed", what);
	else
		check_degraded(c, "%s cannot be probed here; not needed for sampling", what);
}

void check_uprobes(struct check_context *c)
{
	report_probes(c, "CONFIG_UPROBES", "/sys/bus/event_source/devices/uprobe",
		"functions of programs");
}

/* Checks only for tools that record at functions of programs. */
void check_bpf_uprobes(struct check_context *c)
{
	if (!c->request->probes_program)
		return;
	if (has_option(c, "CONFIG_UPROBE_EVENTS", "/sys/bus/event_source/devices/uprobe")) {
		check_found(c, "functions of programs can be probed");
	} else {
		check_missing(c, "functions of programs cannot be probed here");
		check_remedy(c, "record on a kernel with CONFIG_UPROBE_EVENTS");
	}
}

void check_kprobes(struct check_context *c)
{
	report_probes(c, "CONFIG_KPROBES", "/sys/bus/event_source/devices/kprobe",
		"functions of the kernel");
}

/* staprun reads /proc/kallsyms for every module. We need it for names of kernel frames. */
void check_kernel_names(struct check_context *c)
{
	char restriction = check_read_char(c, "/proc/sys/kernel/kptr_restrict");

	if (root_exists(c->request->root, "/proc/self") &&
		!root_exists(c->request->root, "/proc/kallsyms")) {
		check_missing(c, "this kernel has no /proc/kallsyms, which SystemTap's "
				 "modules need");
		check_remedy(c, "record on a kernel with CONFIG_KALLSYMS");
	} else if (!c->request->kernel) {
		return;
	} else if (!check_capability(c, CAP_SYSLOG)) {
		check_degraded(
			c, "only root can read kernel addresses: kernel frames have no names");
		check_remedy(c, "run sample-bt with sudo");
	} else if (restriction == '2') {
		check_found(c,
			"/proc/kallsyms, after staprun changes kernel.kptr_restrict from 2 to 1");
	} else {
		check_found(c, "/proc/kallsyms");
	}
}

enum {
	LARGE = 256 << 10, /* bytes of code; smaller files are ignored */
	NAMED_FILES = 3,
};

/*
 * Returns for each object whether it matters: large files and the programs themselves do. The
 * caller frees the list.
 */
static bool *find_important(const struct processes *ps)
{
	uint64_t *sizes = xcalloc(ps->nr_objects + 1, sizeof(*sizes)); /* of mapped code */
	bool *important = xcalloc(ps->nr_objects + 1, sizeof(*important));

	for (size_t i = 0; i < ps->nr_maps; i++)
		sizes[ps->maps[i].object] += ps->maps[i].end - ps->maps[i].start;
	for (size_t i = 0; i < ps->nr_objects; i++)
		important[i] = sizes[i] >= LARGE;
	for (size_t i = 0; i < ps->nr; i++) /* the first mapping of a process is its program */
		if (ps->list[i].nr_maps)
			important[ps->maps[ps->list[i].maps[0]].object] = true;
	for (size_t i = 0; i < ps->nr_objects; i++)
		important[i] &= ps->objects[i].elf && ps->objects[i].path[0] == '/';
	free(sizes);
	return important;
}

/* Looks for the names of all IMPORTANT objects at once. */
static void ask_names(
	const struct processes *ps, const bool *important, const struct debug_paths *paths)
{
	struct elf_question *list = xcalloc(ps->nr_objects + 1, sizeof(*list));
	size_t nr = 0;

	for (size_t i = 0; i < ps->nr_objects; i++)
		if (important[i])
			list[nr++] = (struct elf_question){.elf = ps->objects[i].elf,
				.fact = FACT_NAMES,
				.name = ps->objects[i].path,
				.paths = paths};
	elffacts_ask(list, nr);
	free(list);
}

static void report_nameless(struct check_context *c, const struct processes *ps)
{
	const struct debug_paths paths = {.root = *c->request->root ? c->request->root : NULL};
	struct strbuf files = STRBUF_INIT;
	bool *important = find_important(ps);
	size_t nr = 0;

	ask_names(ps, important, &paths);
	for (size_t i = 0; i < ps->nr_objects; i++) {
		const struct object *o = &ps->objects[i];

		if (important[i] && !elffacts_names_known(o->elf, o->path, &paths) &&
			nr++ < NAMED_FILES)
			strbuf_addf(&files, "%s%s (build-id %s)", nr > 1 ? ", " : "", o->path,
				elffile_build_id(o->elf));
	}
	free(important);
	if (nr > NAMED_FILES)
		strbuf_addf(&files, " and %zu more", nr - NAMED_FILES);
	if (!nr) {
		check_found(c, "symbols of all large files");
	} else {
		check_degraded(c, "only exported functions have names in %s", files.buf);
		check_remedy(c,
			"install their debug symbols (Debian: find-dbgsym-packages %" PRIu32
			"; Fedora: debuginfo-install -p %" PRIu32 ")",
			c->request->pids[0], c->request->pids[0]);
	}
	strbuf_release(&files);
}

void check_user_names(struct check_context *c)
{
	const struct check_request *r = c->request;
	struct processes ps;
	uint32_t gone = 0;

	if (!r->nr_pids)
		return;
	processes_init(&ps);
	for (size_t i = 0; i < r->nr_pids; i++)
		if (!processes_get(&ps, r->pids[i])->generation)
			gone = r->pids[i];
	if (gone && task_start(gone, gone)) {
		check_missing(c, "process %" PRIu32 " cannot be read", gone);
		check_remedy(c, "%s", task_refusal(gone));
	} else if (gone) {
		check_missing(c, "there is no process %" PRIu32, gone);
		check_remedy(c, "give the PID of a running process");
	} else if (r->user) {
		report_nameless(c, &ps);
	}
	processes_release(&ps);
}
