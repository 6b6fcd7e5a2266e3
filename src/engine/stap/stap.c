/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The SystemTap engine: stap compiles a module, staprun runs it, and its output is parsed. */
#include "claim.h"
#include "compile.h"
#include "engine/condense.h"
#include "engine/engine.h"
#include "engine/label_sets.h"
#include "engine/samples.h"
#include "engine/seal.h"
#include "guard.h"
#include "label/label_processes.h"
#include "label/memberships.h"
#include "lib/argv.h"
#include "lib/strbuf.h"
#include "lib/tempfile.h"
#include "lib/user.h"
#include "lib/util.h"
#include "process/busy.h"
#include "process/descendants.h"
#include "process/task.h"
#include "stage.h"
#include "stap_cache.h"
#include "stap_module.h"
#include "symbol/elf/elffile.h"
#include "symbol/names/kallsyms.h"
#include "tally.h"
#include "runtime/vm_processes.h"
#include "runtime/vm_values.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

enum {
	LOG_MAX = 1 << 20, /* bytes of SystemTap's messages that are kept */
	GRACE_S = 60,      /* time after the requested time at which the script ends by itself */
};

enum phase { COMPILING, LOADED, OVER };

struct stap {
	struct engine engine;
	const struct engine_request *request;
	/* The request if its targets were replaced by the ones in selected, or NULL. */
	struct engine_request *selecting;
	struct selected selected;
	/* The request if the children of its targets were added to the targets, or NULL. */
	struct engine_request *extended;
	struct {
		const uint32_t *pids;
		size_t nr;
	} given; /* the targets of extended before that */
	enum phase phase;
	bool stopped;        /* the end was requested */
	time_t began;        /* when the compilation was started first */
	bool compiles_again; /* since stap had noted failures in its cache */
	struct processes processes;
	struct facets names;  /* what asks processes for names */
	struct facets facets; /* of the processes; they are the next ones */
	struct memberships memberships;
	struct vm_processes vms;
	struct label_processes labels;
	struct script_values values; /* from vms and labels */
	struct stage stage;
	struct repair repair;
	struct stap_module module; /* set when the compilation has ended */
	struct samples samples;
	struct label_sets label_sets;
	struct tally tally;
	/* Read when the probes were in place, so that it includes stap's own module. */
	struct kallsyms *kallsyms;
	struct argv compile;
	struct guard guard;     /* of the program of the current phase */
	struct strbuf partial;  /* a line of the program's output that has not ended yet */
	struct strbuf compiled; /* path of the module */
	struct strbuf log;      /* stderr of the programs */
	struct strbuf error;    /* the reason why the module cannot be used */
	struct strbuf notes;
};

/*
 * Sets the targets of R to the processes and threads that the selection finds at this time. R's
 * command only determines how long the recording lasts.
 */
static int select_targets(struct stap *s, struct engine_request *r, struct strbuf *err)
{
	struct selected *found = &s->selected;

	if (selection_find(&r->selection, &selection_system, found, err))
		return -1;
	if (!found->nr_pids && !found->nr_tids) {
		selection_refuse(&r->selection, err);
		return fail(err, " with --engine=bpf");
	}
	if (found->nr_pids + found->nr_tids > TARGETS_MAX)
		return fail(err,
			"more than %d processes and threads for SystemTap: use -a, or "
			"--engine=bpf",
			TARGETS_MAX);
	s->selecting = r;
	r->pids = found->pids;
	r->nr_pids = found->nr_pids;
	r->tids = found->tids;
	r->nr_tids = found->nr_tids;
	r->command = NULL;
	strbuf_adds(&s->notes,
		"SystemTap records what was selected at the beginning: processes that "
		"started later are missing\n");
	return 0;
}

static bool labels_children(const struct engine_request *r)
{
	return label_need_children(&r->labels) && r->nr_pids && !r->command;
}

/* Adds the processes that descend from R's targets. */
static int add_children(struct stap *s, struct engine_request *r, struct strbuf *err)
{
	size_t nr, nr_given = r->nr_pids;
	uint32_t *children = descendants("/proc", r->pids, nr_given, &nr);
	uint32_t *pids = xcalloc(nr_given + nr, sizeof(*pids));

	memcpy(pids, r->pids, nr_given * sizeof(*pids));
	if (nr)
		memcpy(pids + nr_given, children, nr * sizeof(*pids));
	free(children);
	s->extended = r;
	s->given.pids = r->pids;
	s->given.nr = nr_given;
	r->pids = pids;
	r->nr_pids = nr_given + nr;
	if (r->nr_pids > TARGETS_MAX)
		return fail(
			err, "more than %d processes for SystemTap: use --engine=bpf", TARGETS_MAX);
	return 0;
}

static void release_targets(struct stap *s)
{
	if (s->extended) {
		free((uint32_t *)s->extended->pids);
		s->extended->pids = s->given.pids;
		s->extended->nr_pids = s->given.nr;
	}
	if (s->selecting) {
		s->selecting->pids = s->selecting->tids = NULL;
		s->selecting->nr_pids = s->selecting->nr_tids = 0;
	}
	selected_release(&s->selected);
}

/* Scans a target. If FOUND, the user did not give its number, so it may have ended. */
static int scan_target(struct stap *s, uint32_t pid, bool found, struct strbuf *err)
{
	struct process *p = processes_get(&s->processes, pid);

	if (p->generation || found)
		return 0;
	process_scan(&s->processes, p, err);
	return fail(err, "; %s", task_refusal(pid));
}

/* Scans the processes whose files get unwind rules. */
static int scan_targets(struct stap *s, struct strbuf *err)
{
	const struct engine_request *r = s->request;
	uint32_t busy[8];
	size_t nr_busy = r->all ? busy_processes(busy, ARRAY_LEN(busy)) : 0;

	for (size_t i = 0; i < nr_busy; i++) {
		processes_get(&s->processes, busy[i]);
		if (r->verbose && r->user)
			fprintf(stderr, "unwind rules for the files of process %" PRIu32 "\n",
				busy[i]);
	}
	for (size_t i = 0; i < r->nr_tids; i++)
		if (scan_target(s, r->tids[i], s->selecting, err))
			return -1;
	for (size_t i = 0; i < r->nr_pids && !r->command; i++)
		if (scan_target(
			    s, r->pids[i], s->selecting || (s->extended && i >= s->given.nr), err))
			return -1;
	return 0;
}

/* Sets the script's values; returns the number of processes for which there is no room. */
static size_t set_values(struct stap *s)
{
	vm_values_release(&s->values.vm);
	return vm_processes_add_values(&s->vms, &s->values.vm);
}

/* Adds the processes that are running. The script does not learn of processes that start later. */
static void add_processes(struct stap *s)
{
	const struct engine_request *r = s->request;

	if (r->all)
		processes_get_all(&s->processes, INT64_MAX);
	for (size_t i = 0; i < r->nr_tids; i++)
		processes_get(&s->processes, task_process(r->tids[i]));
}

static bool is_unfit(const struct stap *s, uint32_t pid, struct strbuf *err)
{
	const char *what = vm_processes_unfit(&s->vms, pid);

	if (what)
		fail(err,
			"SystemTap does not walk the stacks of %s, which process %" PRIu32
			" runs: use --engine=bpf",
			what, pid);
	return what;
}

/*
 * Finds the interpreter in the processes. Returns -1 with ERR if a requested process has none, or
 * if its stacks cannot be walked.
 */
static int find_vm(struct stap *s, struct strbuf *err)
{
	const char *title = vm_only(s->request->vms)->language->title;

	if (s->request->command && !s->request->all)
		return fail(err,
			"SystemTap needs to know where %s is before the program begins: start it "
			"first and give its number with -p, or use --engine=bpf",
			title);
	add_processes(s);
	int found = facet_look_at_all(&s->vms.facet, !s->request->all && !s->selecting, err);

	if (found < 0)
		return -1;
	for (size_t i = 0; i < s->processes.nr && !s->request->all && !s->selecting; i++) {
		uint32_t pid = s->processes.list[i].pid;

		if (!facet_found(&s->vms.facet, pid))
			return fail(err,
				"no %s runs in process %" PRIu32
				"; give the number of a process that runs %s",
				title, pid, title);
		if (is_unfit(s, pid, err))
			return -1;
	}
	set_values(s);
	return 0;
}

/* Notes processes whose interpreter the script does not walk, if these were not refused before. */
static void note_unfit(struct stap *s)
{
	const char *what = NULL;
	size_t nr = 0;

	for (size_t i = 0; i < s->processes.nr; i++) {
		const char *unfit = vm_processes_unfit(&s->vms, s->processes.list[i].pid);

		what = unfit ? unfit : what;
		nr += !!unfit;
	}
	if (nr)
		strbuf_addf(&s->notes,
			"SystemTap does not walk the stacks of %s, which %zu processes run: in "
			"place of them is [%s: not running]\n",
			what, nr, vm_only(s->request->vms)->language->name);
}

/* Finds the interpreter again, as compiling the module may have taken long. */
static void find_vm_again(struct stap *s)
{
	const struct vm *vm = vm_only(s->request->vms);

	add_processes(s);
	facets_update(&s->facets);
	size_t left_out = set_values(s);

	if (s->request->all)
		strbuf_addf(&s->notes,
			"SystemTap knows of %s in processes that ran at the beginning: later ones "
			"are [%s: not running]\n",
			vm->language->title, vm->language->name);
	if (left_out)
		strbuf_addf(&s->notes,
			"there is no room for %zu of the processes with %s: in place of their "
			"stacks is [%s: not running]\n",
			left_out, vm->language->title, vm->language->name);
	note_unfit(s);
}

static void release_label_values(struct stap *s)
{
	if (s->values.label)
		label_only(&s->request->labels)->release_values(s->values.label);
	s->values.label = NULL;
}

/* Sets the script's values. Returns -1 with ERR if there is no room or they cannot be read. */
static int set_label_values(struct stap *s, struct strbuf *err)
{
	release_label_values(s);
	return label_processes_add_values(&s->labels, &s->values.label, err);
}

/*
 * Finds the source of labels. Returns -1 with ERR if no requested process has it, or if a script
 * could not find the labels.
 */
static int find_labels(struct stap *s, struct strbuf *err)
{
	const struct engine_request *r = s->request;
	const char *title = label_only(&r->labels)->title;

	if (r->command && !r->all)
		return fail(err,
			"SystemTap needs to know where %s is before the program begins: start it "
			"first and give its number with -p, or use --engine=bpf",
			title);
	add_processes(s);
	if (label_processes_find(&s->labels, !r->all, err))
		return -1;
	return set_label_values(s, err);
}

/* Finds the source of labels again, as compiling the module may have taken long. */
static int find_labels_again(struct stap *s, struct strbuf *err)
{
	add_processes(s);
	facets_update(&s->facets);
	strbuf_addf(&s->notes,
		"SystemTap labels the requests of %s in processes that ran at the beginning: "
		"later ones %s\n",
		label_only(&s->request->labels)->title,
		s->request->all ? "have no labels" : "are missing");
	return set_label_values(s, err);
}

static void stap_free(struct engine *engine)
{
	struct stap *s = (struct stap *)engine;

	if (!s)
		return;
	release_targets(s);
	facets_free(&s->names);
	guard_release(&s->guard);
	argv_release(&s->compile);
	stap_module_release(&s->module);
	tally_release(&s->tally);
	label_sets_release(&s->label_sets);
	samples_release(&s->samples);
	kallsyms_free(s->kallsyms);
	stage_release(&s->stage);
	repair_release(&s->repair);
	vm_values_release(&s->values.vm);
	release_label_values(s);
	label_processes_release(&s->labels);
	vm_processes_release(&s->vms);
	memberships_release(&s->memberships);
	processes_release(&s->processes);
	strbuf_release(&s->partial);
	strbuf_release(&s->compiled);
	strbuf_release(&s->log);
	strbuf_release(&s->error);
	strbuf_release(&s->notes);
	free(s);
}

static const char *scope(const struct engine_request *r)
{
	return r->idle ? "idle" : r->all ? "all" : "some";
}

/* Returns whether given values of compiled-in options are equal to the module's values. */
static bool options_agree(const struct stap_module *m, const struct engine_request *r)
{
	const uint64_t *compiled = m->compiled.list;

	for (size_t i = 0; i < r->tool->nr_options; i++)
		if (r->tool->options[i]->compiled) {
			uint64_t given = r->values.list[i], built = *compiled++;

			if (given && given != built)
				return false;
		}
	return true;
}

static bool labels_agree(const struct stap_module *m, const struct engine_request *r)
{
	const struct label_source *source = label_only(&r->labels);

	return m->label ? source && !strcmp(m->label, source->name) : !source;
}

static bool agrees(const struct stap_module *m, const struct engine_request *r)
{
	bool user = strchr(m->stacks, 'u'), kernel = strchr(m->stacks, 'k');
	const struct vm *vm = vm_of_letter(*m->stacks);
	uint32_t kinds = vm ? VM_BIT(vm->kind) : 0;

	return !strcmp(m->script, r->tool->name) && !strcmp(m->scope, scope(r)) &&
	       (!r->hz || r->hz == m->hz) && options_agree(m, r) && labels_agree(m, r) &&
	       (r->by_default || (user == r->user && kernel == r->kernel && kinds == r->vms));
}

/* Appends the compiled-in options, such as " --state S,D", and the rate. */
static void print_options(const struct stap_module *m, const struct tool *tool, struct strbuf *out)
{
	const uint64_t *compiled = m->compiled.list;

	for (size_t i = 0; i < tool->nr_options; i++)
		if (tool->options[i]->compiled) {
			strbuf_addf(out, " --%s ", tool->options[i]->name);
			tool_option_print(tool->options[i], *compiled++, out);
		}
	strbuf_addch(out, '\'');
	if (tool_takes(tool, "rate"))
		strbuf_addf(out, ", rate %u (0: the tick)", m->hz);
}

static int other_purpose(const struct stap_module *m, struct strbuf *err)
{
	const struct vm *vm = vm_of_letter(*m->stacks);
	const char *others = m->stacks + !!vm;
	struct strbuf ignored = STRBUF_INIT;
	struct tool tool;

	strbuf_addf(err, "'%s' was built for another recording, '%s ", m->path, m->script);
	if (vm && !strcmp(others, "uk"))
		strbuf_addf(err, "--mixed --%s", vm->language->name);
	else
		strbuf_addf(err, "%s%s%s%s%s", vm ? "--" : "", vm ? vm->language->name : "",
			vm && *others ? " " : "", *others ? "-" : "", others);
	strbuf_adds(err, !strcmp(m->scope, "idle")  ? " -a --idle"
			 : !strcmp(m->scope, "all") ? " -a"
						    : "");
	if (m->label)
		strbuf_addf(err, " --%s", m->label);
	tool_find(&tool, m->script, &ignored);
	print_options(m, &tool, err);
	tool_release(&tool);
	strbuf_release(&ignored);
	return fail(err, ": give the options that it was built with\n");
}

/* Opens a precompiled module, which determines what is recorded. The request must agree with it. */
static int adopt_module(struct stap *s, struct engine_request *r, struct strbuf *err)
{
	const struct stap_module *m = &s->module;

	if (stap_module_open(&s->module, r->module, err) || !stap_module_fits_kernel(m, err))
		return -1;
	if (!agrees(m, r))
		return other_purpose(m, err);
	r->user = strchr(m->stacks, 'u');
	r->kernel = strchr(m->stacks, 'k');
	const struct vm *vm = vm_of_letter(*m->stacks);

	r->vms = vm ? VM_BIT(vm->kind) : 0;
	r->mixed = vm && r->user;
	r->hz = m->hz;
	return 0;
}

/* Reports the files of the targets for which a precompiled module has no unwind rules. */
static void mark_rules(struct stap *s)
{
	size_t unknown = 0;
	const char *first = NULL;

	for (size_t i = 0; i < s->processes.nr_objects; i++) {
		struct object *o = &s->processes.objects[i];

		if (!o->elf || o->path[0] != '/')
			continue;
		o->has_rules = stap_module_has_rules(&s->module, elffile_build_id(o->elf));
		if (!o->has_rules && !unknown++)
			first = o->path;
	}
	if (unknown && s->request->user)
		strbuf_addf(&s->notes,
			"%zu files of the target are not in the module, '%s' first: stacks end "
			"there\n",
			unknown, first);
}

static void take_output(void *context, const char *text, size_t len);
static void take_log(void *context, const char *text, size_t len);

static void init_facets(struct stap *s)
{
	const struct engine_request *r = s->request;

	memberships_init(&s->memberships, "/proc", r->memberships);
	vm_processes_init(&s->vms, r->vms, &s->processes, &(struct vm_names){0});
	s->vms.fetch = r->fetch;
	label_processes_init(&s->labels, &r->labels, &s->processes);
	if (r->vms)
		facets_add(&s->facets, &s->vms.facet);
	if (r->labels.nr)
		facets_add(&s->facets, &s->labels.facet);
}

/* Adds the event of the script's rows. The time between two ticks is 0 if it has no rate. */
static void add_event(struct stap *s)
{
	const struct tool *tool = s->request->tool;
	uint64_t hz = s->request->hz ? s->request->hz : 1000;

	samples_event(&s->samples, &(struct sample_event){tool->event, tool->unit, tool->clock,
					   tool_takes(tool, "rate") ? 1000000000 / hz : 0, 1});
}

static struct engine *stap_new(struct engine_request *request, struct strbuf *err)
{
	struct stap *s = xcalloc(1, sizeof(*s));

	s->engine.ops = &stap_engine;
	s->request = request;
	s->guard = (struct guard)GUARD_INIT;
	s->guard.on_out = take_output;
	s->guard.on_err = take_log;
	s->guard.context = s;
	s->partial = s->compiled = s->log = s->error = s->notes = (struct strbuf)STRBUF_INIT;
	processes_init(&s->processes);
	if (request->module && adopt_module(s, request, err)) {
		stap_free(&s->engine);
		return NULL;
	}
	init_facets(s); /* by what the module records */
	samples_init(&s->samples);
	if (engine_stap_slices(request))
		s->samples.slices.ns = request->slice_ns;
	label_sets_init(&s->label_sets, &s->samples, &s->labels, request->label_values);
	tally_init(&s->tally, &s->processes, &s->samples);
	s->tally.sets = &s->label_sets;
	s->tally.ms = &s->memberships;
	s->tally.vms = &s->vms;
	if (request->selection.kind && select_targets(s, request, err)) {
		stap_free(&s->engine);
		return NULL;
	}
	if (labels_children(request) && add_children(s, request, err)) {
		stap_free(&s->engine);
		return NULL;
	}
	if (request->command && !request->all)
		s->tally.command = request->pids[0];
	if (tool_need_script(request->tool, err) || scan_targets(s, err)) {
		stap_free(&s->engine);
		return NULL;
	}
	if (request->user && !request->module)
		stage_init(&s->stage, &s->processes, &s->notes);
	if ((!request->module && repair_init(&s->repair, request, err)) ||
		(request->vms && !request->compile_only && find_vm(s, err)) ||
		(request->labels.nr && !request->compile_only && find_labels(s, err))) {
		stap_free(&s->engine);
		return NULL;
	}
	add_event(s);
	compile_command(&s->compile, request, &s->stage, &s->repair);
	return &s->engine;
}

static void print_command(const struct argv *argv, FILE *out)
{
	fputc('#', out);
	argv_print(argv, out);
	fputc('\n', out);
}

static void print_repair(const struct repair *repair, FILE *out)
{
	struct strbuf names = STRBUF_INIT;

	if (stap_compat_helps(&repair->compat)) {
		stap_compat_names(&repair->compat, &names);
		fprintf(out, "# with a patched copy of SystemTap's runtime (%s)\n", names.buf);
	}
	strbuf_release(&names);
}

/* Returns the time limit for the script in seconds, or 0 for none. */
static unsigned time_limit(const struct engine_request *r)
{
	return r->seconds > 0 && r->seconds < 1e9 ? (unsigned)r->seconds + GRACE_S : 0;
}

static void stap_describe(const struct engine *engine, FILE *out)
{
	const struct stap *s = (const struct stap *)engine;
	const char *module = s->request->module ? s->request->module : "MODULE.ko";
	FILE *script = fopen(s->request->tool->path, "re");
	struct argv load = {0};
	char buf[4096];
	size_t n;

	if (!s->request->module) {
		print_repair(&s->repair, out);
		print_command(&s->compile, out);
	}
	load_command(&load, s->request, &s->module, module, &s->values, time_limit(s->request));
	if (!s->request->compile_only)
		print_command(&load, out);
	argv_release(&load);
	while (script && (n = fread(buf, 1, sizeof(buf), script)) > 0)
		fwrite(buf, 1, n, out);
	if (script)
		fclose(script);
}

static int load(struct stap *s, struct strbuf *err)
{
	struct argv argv = {0};
	char *path = stap_module_staprun_path(&s->module, err);
	int ret = -1;

	s->phase = LOADED;
	if (s->request->vms)
		find_vm_again(s);
	if (path && (!s->request->labels.nr || !find_labels_again(s, err))) {
		load_command(
			&argv, s->request, &s->module, path, &s->values, time_limit(s->request));
		ret = guard_start(&s->guard, argv.words, &s->module, err);
	}
	argv_release(&argv);
	free(path);
	return ret;
}

static int stap_start(struct engine *engine, struct strbuf *err)
{
	struct stap *s = (struct stap *)engine;

	claims_sweep();
	s->began = time(NULL);
	seal_ask_names(s->request, &s->names, &s->processes);
	if (!s->request->module)
		return guard_start(&s->guard, s->compile.words, NULL, err);
	return load(s, err);
}

/* Passes complete lines of TEXT to the tally and keeps the rest. */
static void take_output(void *context, const char *text, size_t len)
{
	struct stap *s = context;

	if (s->phase == COMPILING) {
		strbuf_add(&s->compiled, text, len);
		return;
	}
	strbuf_add(&s->partial, text, len);
	char *line = s->partial.buf, *end = line + s->partial.len, *nl;

	while ((nl = memchr(line, '\n', (size_t)(end - line)))) {
		tally_line(&s->tally, line, (size_t)(nl - line));
		line = nl + 1;
	}
	size_t rest = (size_t)(end - line);

	memmove(s->partial.buf, line, rest);
	s->partial.len = rest;
}

static void take_log(void *context, const char *text, size_t len)
{
	struct stap *s = context;

	if (s->request->verbose)
		fwrite(text, 1, len, stderr);
	strbuf_add(&s->log, text, len);
	if (s->log.len > LOG_MAX) { /* keeps the errors at the start and the losses at the end */
		size_t part = LOG_MAX / 4;

		memmove(s->log.buf + part, s->log.buf + s->log.len - part, part + 1);
		s->log.len = 2 * part;
	}
}

/*
 * Compiles once more if stap did not find a tracepoint and an earlier run, which was perhaps
 * killed, had noted that headers of tracepoints do not compile. Returns false if it does not.
 */
static bool compile_again(struct stap *s)
{
	bool no_probe = strstr(s->log.buf, "while resolving probe point: identifier 'kernel'");

	if (!s->guard.status || s->stopped || s->compiles_again || !no_probe ||
		!stap_cache_forget_failures(s->began))
		return false;
	s->compiles_again = true;
	strbuf_reset(&s->compiled);
	strbuf_reset(&s->log);
	return !guard_start(&s->guard, s->compile.words, NULL, &s->error);
}

/* Runs the module after the compilation, unless there is none or the end was requested. */
static void go_on(struct stap *s)
{
	struct strbuf *path = &s->compiled;

	if (compile_again(s))
		return;
	s->phase = OVER;
	while (path->len && path->buf[path->len - 1] == '\n')
		path->buf[--path->len] = '\0';
	if (s->guard.status || stap_module_open(&s->module, path->buf, &s->error) ||
		s->request->compile_only || s->stopped)
		return;
	if (load(s, &s->error))
		s->phase = OVER;
}

static void read_kallsyms(struct stap *s)
{
	struct strbuf why = STRBUF_INIT;

	s->kallsyms = kallsyms_new(&why);
	if (!s->kallsyms)
		strbuf_addf(&s->notes, "kernel frames have no names: %s\n", why.buf);
	strbuf_release(&why);
}

static enum engine_state stap_wait(struct engine *engine, int timeout_ms)
{
	struct stap *s = (struct stap *)engine;
	bool was_ready = s->tally.ready;

	if (s->phase != OVER && guard_wait(&s->guard, timeout_ms)) {
		if (s->phase == COMPILING)
			go_on(s);
		else
			s->phase = OVER;
	}
	if (s->tally.ready && !was_ready && s->request->kernel)
		read_kallsyms(s);
	if (s->phase == OVER)
		return ENGINE_ENDED;
	if (s->tally.ready)
		facets_update(&s->names);
	return s->tally.ready ? ENGINE_READY : ENGINE_STARTING;
}

static void stap_stop(struct engine *engine)
{
	struct stap *s = (struct stap *)engine;

	s->stopped = true;
	guard_stop(&s->guard);
}

/* Returns the sum of all numbers that follow WHAT in the log. */
static uint64_t logged_number(const struct stap *s, const char *what)
{
	uint64_t sum = 0, value;

	for (const char *at = s->log.buf; (at = strstr(at, what));) {
		at += strlen(what);
		if (parse_u64(at, strspn(at, "0123456789"), 10, &value))
			add_capped(&sum, value);
	}
	return sum;
}

/* Returns the reason for a failure: s->error, or SystemTap's first error message. */
static char *logged_error(const struct stap *s)
{
	if (s->error.len)
		return xstrndup(s->error.buf, strcspn(s->error.buf, "\n"));
	if (s->guard.status < 0)
		return xstrdup("flametap-guard was killed");
	if (s->guard.status == 128 + SIGKILL)
		return xstrdup("SystemTap was killed");

	static const char *const marks[] = {
		"semantic error: ", "parse error: ", "ERROR: ", "error: ", "cannot "};
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(marks) && !found; i++)
		found = strstr(s->log.buf, marks[i]);
	return found ? xstrndup(found, strcspn(found, "\n")) : xstrdup("it did not say why");
}

static void rescan(struct stap *s)
{
	for (size_t i = 0; i < s->processes.nr; i++)
		process_scan(&s->processes, &s->processes.list[i], NULL);
}

/* Reports in whole lines why there are no sums. */
static int explain(struct stap *s, struct strbuf *err)
{
	char *error = logged_error(s);

	if (s->stopped && !s->module.name)
		fail(err, "interrupted before the module was compiled\n");
	else if (s->stopped && !s->tally.ready)
		fail(err, "interrupted before the probes were in place\n");
	else if (s->stopped)
		fail(err, "SystemTap did not hand over the sums\n");
	else if (!s->module.name)
		fail(err, "stap made no module: %s\n", error);
	else
		fail(err, "the module did not run: %s\n", error);
	free(error);
	return -1;
}

/* Writes the file as the invoking user, since nothing after this needs privileges. */
static int copy_module(const struct stap_module *m, const char *to, struct strbuf *err)
{
	struct tempfile file;

	if (user_drop_privileges(err)) {
		fail(err, "\n");
		return -1;
	}
	int ret = tempfile_open(&file, to);

	if (!ret) {
		fchmod(fileno(file.out), 0644); /* readable, so that others can run it */
		fwrite(m->bytes, 1, m->size, file.out);
		ret = tempfile_commit(&file);
	}
	return ret ? fail(err, "cannot write '%s': %s\n", to, strerror(errno)) : 0;
}

static int finish_module(struct stap *s, struct strbuf *err)
{
	if (s->stopped || !s->module.name)
		return explain(s, err);
	if (s->request->compile_to)
		return copy_module(&s->module, s->request->compile_to, err);
	printf("%s\n", s->module.path);
	return 0;
}

/* Adds the losses that SystemTap reported. Returns 1 with ERR if the module ended early. */
static int take_losses(const struct stap *s, struct recording *rec, struct strbuf *err)
{
	add_capped(&rec->lost[LOST_SKIPPED], logged_number(s, "skipped probes: "));
	add_capped(&rec->lost[LOST_TRANSPORT], logged_number(s, "There were "));
	if (s->tally.ended && !s->guard.status)
		return 0;
	char *error = logged_error(s);

	if (strstr(s->log.buf, "probe overhead"))
		fail(err, "the probes took more of a processor than --overload allows and were "
			  "stopped; what had come is kept; use a lower rate, -F\n");
	else
		fail(err, "the recording ended early: %s; what had come is kept\n",
			s->tally.ended ? error : "not all sums have come");
	free(error);
	return 1;
}

static void add_seconds(const struct tally *t, struct recording *rec)
{
	if (!t->began_ns || t->until_ns < t->began_ns)
		return;
	char *seconds = xasprintf("%.3f", (double)(t->until_ns - t->began_ns) / 1e9);

	recording_add_meta(rec, "seconds", seconds);
	free(seconds);
}

/* Makes REC of the lines that have arrived. */
static void seal(struct stap *s, bool is_last, struct recording *rec, struct strbuf *notes)
{
	add_capped(&rec->lost[LOST_NO_BODY], tally_add_rows(&s->tally));
	uint32_t *labels = label_sets_limit(&s->label_sets, notes);

	if (is_last) {
		seal_jit_names(&s->samples, &s->processes, &s->names, notes);
		condense_last(&s->samples, &s->processes);
	}
	recording_seal(rec, &s->samples,
		&(struct seal_facts){
			&s->processes, &s->memberships, s->kallsyms, labels, s->request});
	condense_note(&s->samples, notes);
	free(labels);
}

static int stap_take(struct engine *engine, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err)
{
	struct stap *s = (struct stap *)engine;
	bool is_last = s->stopped || s->phase == OVER;
	int ret = 0;

	if (s->request->compile_only)
		return finish_module(s, err);
	if (is_last && s->guard.status < 0)
		claims_sweep(); /* no other process unloads the module */
	if (is_last && !s->tally.ended && !s->tally.nr_rows)
		return explain(s, err);
	if (is_last)
		ret = take_losses(s, rec, err);
	rescan(s);
	if (is_last && s->request->module)
		mark_rules(s);
	recording_add_meta(rec, "title", s->request->tool->title);
	recording_add_meta(rec, "engine", "stap");
	add_seconds(&s->tally, rec);
	seal(s, is_last, rec, notes);
	if (is_last)
		processes_move_files(&s->processes, files);
	facets_note(&s->facets, notes);
	strbuf_add(notes, s->notes.buf, s->notes.len);
	strbuf_add(notes, s->tally.notes.buf, s->tally.notes.len);
	return ret;
}

static const char *stap_log(const struct engine *engine)
{
	const struct stap *s = (const struct stap *)engine;
	bool worked = s->request->compile_only ? s->module.name != NULL : s->tally.ready;

	return worked ? NULL : s->log.buf;
}

const struct engine_ops stap_engine = {
	.name = "stap",
	.new = stap_new,
	.describe = stap_describe,
	.start = stap_start,
	.wait = stap_wait,
	.stop = stap_stop,
	.take = stap_take,
	.log = stap_log,
	.free = stap_free,
};
