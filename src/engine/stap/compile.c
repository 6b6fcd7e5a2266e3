/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compile.h"
#include "label/label.h"
#include "lib/folder.h"
#include "lib/root.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "measure_args.h"
#include "runtime/vm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * Returns the size of the table of stacks. There are few sizes, since each needs a module of its
 * own. An entry of the two large arrays takes about 150 bytes, and one of the arrays exists per
 * CPU. The default size stays below 128 MiB.
 */
static size_t size_class(size_t requested)
{
	static const size_t classes[] = {4096, 16384, 65536, 262144, 1048576};
	size_t cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t i = 0;

	if (!requested) {
		while (i + 1 < 4 && classes[i + 1] * 150 * (cpus + 3) <= 128 << 20)
			i++;
		return classes[i];
	}
	while (i + 1 < ARRAY_LEN(classes) && classes[i] < requested)
		i++;
	return classes[i];
}

/* Adds stap's overload limit, which is in cycles per billion, or no limit if PERCENT is 0. */
static void add_overload(struct argv *a, unsigned percent)
{
	if (percent)
		argv_add(a, xasprintf("-DSTP_OVERLOAD_THRESHOLD=%uLL", percent * 10000000));
	else
		argv_add(a, xstrdup("-DSTP_NO_OVERLOAD"));
}

static void add_limits(struct argv *a, const struct engine_request *r)
{
	argv_add(a, xstrdup("-DMAXBACKTRACE=1024"));
	argv_add(a, xstrdup("-DMAXSTRINGLEN=4096"));
	argv_add(a, xasprintf("-DMAXACTION=%s", r->tool->actions ? r->tool->actions : "100000"));
	argv_add(a, xstrdup("-DMAXACTION_INTERRUPTIBLE=100000000"));
	argv_add(a, xasprintf("-DMAXMAPENTRIES=%zu", size_class(r->stacks)));
	argv_add(a, xstrdup("-DMAXSKIPPED=1000000000")); /* skipped probes are counted, not fatal */
	add_overload(a, r->overload);
	argv_add(a, xstrdup("--suppress-handler-errors"));
}

static void add_rules(struct argv *a, const struct engine_request *r, const struct stage *stage)
{
	if (stage->root)
		argv_add(a, xasprintf("--sysroot=%s", stage->root));
	for (size_t i = 0; i < stage->nr_files; i++)
		argv_pair(a, "-d", xstrdup(stage->files[i]));
	if (r->user && r->command) {
		argv_pair(a, "-d", xstrdup(r->command));
		argv_add(a, xstrdup("--ldd"));
	}
}

/*
 * Adds the kernel's release. With --sysroot, stap would look for the kernel's build tree below that
 * root, unless the path of the build tree is given.
 */
static void add_release(struct argv *a, const char *release, const struct stage *stage)
{
	struct utsname uts;

	if (stage->root && (release || !uname(&uts)))
		argv_pair(a, "-r",
			xasprintf("/lib/modules/%s/build", release ? release : uts.release));
	else if (release)
		argv_pair(a, "-r", xstrdup(release));
}

bool repair_is_disabled(const struct engine_request *r)
{
	const char *runtime = getenv("SYSTEMTAP_RUNTIME");
	bool chosen = runtime && *runtime;

	for (size_t i = 0; i < r->nr_stap_args && !chosen; i++)
		chosen = begins_with(r->stap_args[i], strlen(r->stap_args[i]), "-R") ||
			 begins_with(r->stap_args[i], strlen(r->stap_args[i]), "--runtime");
	return chosen;
}

int repair_init(struct repair *repair, const struct engine_request *r, struct strbuf *err)
{
	struct utsname uts;
	char *stap = root_find("", "stap");
	int ret = 0;

	*repair = (struct repair){0};
	if (stap && !repair_is_disabled(r) && (r->release || !uname(&uts))) {
		const char *release = r->release ? r->release : uts.release;
		char *modules = xasprintf("/lib/modules/%s", release);
		char *folder = folder_cache();
		size_t before = err->len;

		stap_compat_find(&repair->compat, &(struct stap_place){"", stap, release, modules});
		repair->runtime = stap_compat_copy(&repair->compat, folder, err);
		ret = err->len > before ? -1 : 0;
		free(folder);
		free(modules);
	}
	free(stap);
	return ret;
}

void repair_release(struct repair *repair)
{
	stap_compat_release(&repair->compat);
	free(repair->runtime);
	repair->runtime = NULL;
}

/* Adds the repair. The user's own arguments have to follow, as stap takes the last one. */
static void add_repair(struct argv *a, const struct repair *repair)
{
	const char *option = stap_compat_make_option(&repair->compat);

	if (repair->runtime)
		argv_pair(a, "-R", xstrdup(repair->runtime));
	if (option)
		argv_pair(a, "-B", xstrdup(option));
}

/* Adds further arguments of the script, the values of the options that are compiled in. */
static void add_compiled(struct argv *a, const struct engine_request *r)
{
	for (size_t i = 0; i < r->tool->nr_options; i++)
		if (r->tool->options[i]->compiled)
			argv_add(a, xasprintf("%" PRIu64, tool_value_at(r->tool, &r->values, i)));
}

void compile_command(struct argv *a, const struct engine_request *r, const struct stage *stage,
	const struct repair *repair)
{
	argv_add(a, xstrdup("stap"));
	if (r->verbose)
		argv_add(a, xstrdup("-v"));
	argv_add(a, xstrdup("-p4"));
	for (char **t = r->tool->tapsets; *t; t++)
		argv_pair(a, "-I", xstrdup(*t));
	add_limits(a, r);
	add_release(a, r->release, stage);
	add_rules(a, r, stage);
	add_repair(a, repair);
	for (size_t i = 0; i < r->nr_stap_args; i++)
		argv_add(a, xstrdup(r->stap_args[i]));
	argv_add(a, xstrdup(r->tool->path));
	const struct vm *vm = vm_only(r->vms);

	argv_add(a, xasprintf("%.*s%s%s", !!vm, vm ? &vm->language->letter : "", r->user ? "u" : "",
			    r->kernel ? "k" : ""));
	argv_add(a, xstrdup(r->idle ? "idle" : r->all ? "all" : "some"));
	argv_add(a, xasprintf("%u", r->hz));
	argv_add(a, xasprintf("%zu", size_class(r->stacks)));
	add_compiled(a, r);
	if (r->labels.nr)
		argv_add(a, xstrdup(label_only(&r->labels)->name));
	else if (r->nr_probes)
		argv_add(a, xstrdup("none"));
	if (r->nr_probes)
		measure_args_add(a, r);
}

static void list_targets(struct strbuf *text, char kind, const uint32_t *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		strbuf_addf(text, "%s%c%" PRIu32, text->len ? "." : "", kind, list[i]);
}

/* Gives a single process as -x, with which the script compares without a lock. */
static void add_targets(struct argv *a, const struct engine_request *r)
{
	if (!r->all && !r->nr_tids && r->nr_pids == 1)
		argv_pair(a, "-x", xasprintf("%" PRIu32, r->pids[0]));
}

static void add_target_list(struct argv *a, const struct engine_request *r)
{
	struct strbuf text = STRBUF_INIT;

	if (!r->all && (r->nr_tids || r->nr_pids > 1)) {
		list_targets(&text, 't', r->tids, r->nr_tids);
		list_targets(&text, 'p', r->pids, r->nr_pids);
		argv_add(a, xasprintf("targets=%s", text.buf));
	}
	strbuf_release(&text);
}

/* Adds the options that are variables of the module, which has their defaults. */
static void add_options(struct argv *a, const struct engine_request *r)
{
	for (size_t i = 0; i < r->tool->nr_options; i++) {
		const struct tool_option *o = r->tool->options[i];
		char *variable;

		if (o->compiled || !r->values.list[i])
			continue;
		variable = xasprintf("option_%s=%" PRIu64, o->name, r->values.list[i]);
		for (char *c = strchr(variable, '-'); c; c = strchr(c, '-'))
			*c = '_';
		argv_add(a, variable);
	}
}

void load_command(struct argv *a, const struct engine_request *r, const struct stap_module *m,
	const char *path, const struct script_values *values, unsigned seconds)
{
	argv_add(a, xstrdup("staprun"));
	if (!m->is_signed)
		argv_add(a, xstrdup("-R"));
	/* buffers in MiB, as all rows are printed at once */
	argv_pair(a, "-b",
		xasprintf("%zu",
			4 + (m->max_stacks ? m->max_stacks : size_class(r->stacks)) / 16384));
	add_targets(a, r);
	argv_add(a, xstrdup(path));
	add_target_list(a, r);
	if (seconds)
		argv_add(a, xasprintf("stop_after=%u", seconds));
	if (engine_stap_slices(r))
		argv_add(a, xasprintf("slice_ns=%" PRIu64, r->slice_ns));
	add_options(a, r);
	vm_values_give(&values->vm, a);
	if (r->labels.nr)
		r->labels.list[0].source->give_values(values->label, r->labels.list[0].keys, a);
}
