/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which options go together, and what follows from them. */
#include "options_check.h"
#include "engine/label_sets.h"
#include "fleet/fleet_url.h"
#include "label/label.h"
#include "label/memberships.h"
#include "label_keys.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "options.h"
#include "options_table.h"
#include "runtime/vm.h"
#include "view/args/arg_value.h"
#include "view/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends the program with a message. FMT is a literal. */
#define usage_error(fmt, ...) arg_error(fmt "; try --help", ##__VA_ARGS__)

/* --engine was checked when it was parsed, but $FLAMETAP_ENGINE was not. */
static void check_engine(const char *name)
{
	for (size_t i = 0; options_engines[i]; i++)
		if (!strcmp(name, options_engines[i]))
			return;
	usage_error("invalid FLAMETAP_ENGINE '%s': use auto, stap or bpf", name);
}

/*
 * Returns the number of targets. A recording has exactly one kind of them. With -a or a selection,
 * a command only sets the duration.
 */
static int count_targets(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	bool command = o->session.command;
	int open = q->all + !!q->selection.kind;

	return !!o->pids.nr + !!o->tids.nr + (open ? open : command);
}

static bool writes(const struct options *o, bool modules)
{
	for (size_t i = 0; i < o->nr_outputs; i++)
		if (options_is_module(o->outputs[i]) == modules)
			return true;
	return false;
}

/* Returns whether a recording or a picture is written, which say when. */
static bool says_when(const struct options *o)
{
	bool any = o->report;

	for (size_t i = 0; i < o->nr_outputs; i++) {
		int format = output_format(o->outputs[i]);

		any |= format == OUT_REC || format == OUT_REC_ZST || format == OUT_SVG ||
		       format == OUT_FIREFOX;
	}
	return any;
}

#define TARGETS                                                                                    \
	"give one of -p PID, --tid TID, --comm NAME, --cgroup PATH, --container ID, --unit NAME, " \
	"-a, -- COMMAND"

/* Refuses what contradicts itself, would have no effect, or is compiled into a module. */
static void check_combinations(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	bool stap = !strcmp(o->engine, "stap"), bpf = !strcmp(o->engine, "bpf");
	int targets = count_targets(o);
	const struct {
		bool is_refused;
		const char *why;
	} rules[] = {
		{targets > 1, "too many targets: " TARGETS "; only -a and those by name go with a "
			      "command"},
		{!targets && !o->check && !o->scripts && !q->compile_only,
			"nothing to record: " TARGETS},
		{!q->compile_only && writes(o, true), "a .ko file comes from --compile-only"},
		{q->compile_only &&
				(writes(o, false) || o->nr_outputs > 1 || o->report || q->module),
			"--compile-only writes one file, -o FILE.ko"},
		{o->json && !o->check,
			"--json needs --check; for a recording as JSON use -o FILE.json"},
		{q->idle && !q->all, "--idle needs -a"},
		{!o->every != !o->spool,
			o->every ? "--every needs --spool DIR" : "--spool needs --every TIME"},
		{o->push && !o->every, "--push needs --every TIME"},
		{o->nr_set && !o->every, "--set needs --every TIME"},
		{o->every && (o->nr_outputs || o->report || o->last || o->slice > 0 || o->check ||
				     o->live),
			"--every writes windows: it goes with none of -o, --report, --last, "
			"--slice, --check and --live"},
		{o->every != (uint64_t)o->every, "--every: a window takes whole seconds"},
		{o->every && stap, "--every needs the built-in engine: --engine bpf"},
		{q->children && !o->pids.nr,
			"--children needs -p; for a command the built-in engine always does it"},
		{q->children && stap, "--children needs the built-in engine: --engine bpf"},
		{bpf && (q->module || q->compile_only || q->release || q->nr_stap_args),
			"--module, --compile-only, -r and --stap-arg need SystemTap: --engine "
			"stap"},
		{o->live && (q->compile_only || q->module || o->session.describe),
			"--live shows what the built-in engine records: it cannot be combined with "
			"--compile-only, --module or -d"},
		{o->live && !o->check && !o->scripts &&
				(!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)),
			"--live needs a terminal as stdin and stdout"},
		{o->live && q->verbose, "--live leaves no room for the messages of -v"},
		{q->release && !q->compile_only && !o->check, "-r needs --compile-only or --check"},
		{q->module && (q->stacks || o->overload >= 0 || q->nr_stap_args || q->release),
			"--stacks, --overload, --stap-arg and -r cannot be changed in a compiled "
			"module"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].is_refused)
			usage_error("%s", rules[i].why);
}

/* Refuses a wrong URL now: bt-fleet, which sends the windows, runs only after the start. */
static void check_push(const char *text)
{
	struct strbuf err = STRBUF_INIT;
	struct fleet_url url;

	if (fleet_url_parse(&url, text, &err))
		arg_error("--push '%s': %.*s", text, (int)strcspn(err.buf, "\n"), err.buf);
	fleet_url_release(&url);
	strbuf_release(&err);
}

/* Returns the option that asks for an interpreter, without dashes. */
static const char *vm_option(const struct engine_request *q)
{
	return q->vms && !q->any_vm ? vm_first(q->vms)->language->name : "vm";
}

/* Refuses options that the script does not support. */
static void check_script(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	const struct {
		const char *what, *option;
		bool is_given;
	} used[] = {
		{"rate", "F", q->hz && !q->nr_probes},
		{"idle", "idle", q->idle},
		{"at", "at", o->probes.nr},
		{"at", "value", q->measure.value},
		{"at", "latency", q->measure.latency},
		{"distr", "distr", q->measure.ranges},
		{"at", "if", q->measure.test},
		{"vm", o->mixed ? "mixed" : vm_option(q), q->vms},
		{"kernel", "k", q->kernel && tool_is_in_user(q->tool)},
		{"label", q->labels.nr ? q->labels.list[0].source->name : "", q->labels.nr},
	};
	struct strbuf err = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		if (used[i].is_given && !tool_takes(q->tool, used[i].what))
			usage_error("%s%s: the script %s does not support it",
				used[i].option[1] ? "--" : "-", used[i].option, q->tool->name);
	if (tool_values_check(q->tool, &q->values, &err))
		usage_error("%s", err.buf);
	strbuf_release(&err);
}

static void choose_stacks(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->by_default = !q->user && !q->kernel && !q->vms && !o->mixed;
	if (q->by_default) {
		q->user = true;
		q->kernel = !tool_is_in_user(q->tool);
	}
	if (q->vms && q->user && !o->mixed)
		usage_error("--%s replaces the stacks of -u; use --mixed for both", vm_option(q));
	if (o->mixed) {
		q->kernel |= !q->user;
		q->any_vm |= !q->vms;
		q->vms = q->vms ? q->vms : VM_ALL;
		q->mixed = q->user = true;
	}
	if (q->idle && q->vms && !q->kernel)
		usage_error("--idle: no interpreter runs on an idle processor; add -k for its "
			    "kernel stack");
}

static __attribute__((noreturn)) void refuse_without_source(void)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "--with, --labels and --requests need a source of labels:");
	for (int i = 0; i < NR_LABEL_SOURCES; i++)
		strbuf_addf(&text, "%s --%s", i ? "," : "", label_sources[i]->name);
	usage_error("%s", text.buf);
}

static __attribute__((noreturn)) void refuse_operators(const struct tool *tool)
{
	struct strbuf text = STRBUF_INIT;

	if (!tool_takes(tool, "operators"))
		usage_error(
			"--with " VM_OP_LABEL ": the script %s does not support it", tool->name);
	for (int i = 0; i < NR_VMS; i++)
		if (vms[i]->operator_name)
			strbuf_addf(&text, "--%s, ", vms[i]->language->name);
	usage_error(
		"--with " VM_OP_LABEL " needs an interpreter: %s--vm auto or --mixed", text.buf);
}

static void add_keys(const struct label_source *source, const char *before, int len,
	const char *name, struct strbuf *out)
{
	strbuf_addf(
		out, "%s %s has no label '%.*s'; its labels are", before, source->title, len, name);
	for (int i = 0; source->keys[i].name; i++)
		strbuf_addf(out, "%s %s", i ? "," : "", source->keys[i].name);
}

static __attribute__((noreturn)) void refuse_label(
	const struct engine_request *q, const char *name, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	if (len == strlen(VM_OP_LABEL) && !memcmp(name, VM_OP_LABEL, len))
		refuse_operators(q->tool);
	if (!q->labels.nr)
		refuse_without_source();
	for (size_t i = 0; i < q->labels.nr; i++)
		add_keys(q->labels.list[i].source, i ? ";" : "--with:", (int)len, name, &text);
	usage_error("%s", text.buf);
}

/*
 * Adds the label KEY, of LEN bytes. Returns false if neither process nor interpreter nor source has
 * it.
 */
static bool add_label(struct engine_request *q, const char *key, size_t len)
{
	uint32_t membership = membership_bit(key, len), bits = 0;
	bool is_op = vm_have_operators(q->vms) && tool_takes(q->tool, "operators") &&
		     len == strlen(VM_OP_LABEL) && !memcmp(key, VM_OP_LABEL, len);

	for (size_t i = 0; i < q->labels.nr; i++) {
		uint32_t bit = label_key_bit(q->labels.list[i].source, key, len);

		q->labels.list[i].keys |= bit;
		bits |= bit;
	}
	q->operators |= is_op;
	q->memberships |= membership;
	return bits || is_op || membership;
}

/* Adds the labels of LIST, separated by commas. */
static void add_labels(struct engine_request *q, const char *list)
{
	for (size_t len;; list += len + 1) {
		len = strcspn(list, ",");
		if (!add_label(q, list, len))
			refuse_label(q, list, len);
		if (!list[len])
			return;
	}
}

/* Adds the labels by which samples are shown, as far as they can be recorded. */
static void add_labels_of_views(struct options *o)
{
	struct engine_request *q = &o->session.request;

	if (o->view.by)
		add_label(q, o->view.by, strlen(o->view.by));
	for (size_t i = 0; o->view.by_more[i]; i++)
		add_label(q, o->view.by_more[i], strlen(o->view.by_more[i]));
	for (size_t i = 0; i < o->where.nr; i++)
		add_label(q, o->where.choices[i].key, strlen(o->where.choices[i].key));
}

/*
 * Adds the labels of processes if there are several of them. Titles must be asked for, as command
 * lines may have passwords in them, and the kernel reads them in the memory of processes.
 */
static void add_memberships(struct options *o)
{
	struct engine_request *q = &o->session.request;

	if (q->all || q->selection.kind || q->children || o->pids.nr > 1)
		q->memberships |= MEMBERSHIP_ALL & ~MEMBERSHIP_OF_TITLES;
}

/* Chooses the source of labels that the script needs, also if others are given. */
static void choose_source(struct engine_request *q)
{
	const struct label_source *source = q->tool->labels ? label_named(q->tool->labels) : NULL;

	if (source)
		label_choose(&q->labels, source);
}

/* Adds the labels that are recorded without being asked for, and refuses what a source cannot do.
 */
static void complete_sources(struct options *o)
{
	struct engine_request *q = &o->session.request;

	for (size_t i = 0; i < q->labels.nr; i++) {
		struct chosen_source *choice = &q->labels.list[i];

		choice->keys |= label_default_keys(choice->source);
		q->memberships |= choice->source->memberships;
	}
	q->children |= label_need_children(&q->labels) && o->pids.nr;
	if (q->count_ends && !label_that_ends(&q->labels))
		usage_error("--requests: the requests of %s cannot be counted",
			q->labels.list[0].source->title);
}

/* Chooses the labels to record, including labels that the views need. */
static void choose_labels(struct options *o)
{
	struct engine_request *q = &o->session.request;

	o->view.labels = o->where.nr ? &o->where : NULL;
	choose_source(q);
	if (o->with)
		add_labels(q, o->with);
	add_labels_of_views(o);
	add_memberships(o);
	if (!q->labels.nr) {
		if (q->label_values || q->count_ends)
			refuse_without_source();
		return;
	}
	if (!q->label_values)
		q->label_values = LABEL_VALUES_DEFAULT;
	complete_sources(o);
}

/* Chooses the table of the script in place of backtraces if the result is shown on a terminal. */
static void choose_table(struct options *o)
{
	const struct tool *tool = o->session.request.tool;

	o->table = tool->table && o->session.to_stdout && isatty(STDOUT_FILENO) && !o->view.by &&
		   !o->view.threads && !o->session.request.measure.ranges;
	if (!o->table)
		return;
	o->view.by = tool->table;
	o->view.keep_labels = true;
}

/* Refuses what SystemTap does not do where SystemTap would have to record. */
static void check_engine_does(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	const struct vm *vm = vm_only(q->vms);
	const struct label_source *label = label_only(&q->labels);
	const struct {
		bool is_asked;
		const char *before, *option, *verb, *object;
	} rows[] = {
		{q->any_vm, "--", o->mixed ? "mixed without a language" : "vm auto", "look for",
			"interpreters"},
		{q->vms && !vm, "recording ", "several languages", "walk", "their stacks at once"},
		{vm && (!vm->add_values || (o->mixed && vm->alone_in_script)),
			o->mixed ? "--mixed with --" : "--", vm ? vm->language->name : "", "walk",
			"these stacks yet"},
		{q->tool->is_built_in || q->tool->nr_functions, "the script ", q->tool->name,
			"record", q->tool->event},
		{q->labels.nr > 1, "recording ", "labels of several servers", "label",
			"their processes at once"},
		{label && !label->add_values, "", label ? label->title : "", "record",
			"these labels"},
		{q->count_ends, "--", "requests", "count", "requests"},
		{o->last > 0, "--", o->live ? "live" : "last", "hand over",
			"slices before the end"},
		{q->must_slice && !engine_stap_slices(q), "--", "slice", "record",
			"slices of time"},
		{q->operators, "the label ", VM_OP_LABEL, "record", "operators"},
		{q->windows, "--", "every", "record", "windows"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].is_asked && !strcmp(o->engine, "stap"))
			usage_error("%s%s needs the built-in engine, SystemTap does not %s %s: "
				    "--engine bpf",
				rows[i].before, rows[i].option, rows[i].verb, rows[i].object);
		if (rows[i].is_asked && engine_needs_stap(q))
			usage_error("%s%s needs the built-in engine: it cannot be combined with "
				    "--module, --compile-only, -r, --stap-arg or a script that "
				    "only SystemTap runs",
				rows[i].before, rows[i].option);
	}
}

static bool is_counter(const struct probe *probe)
{
	return probe->kind == PROBE_SOFTWARE || probe->kind == PROBE_HARDWARE ||
	       probe->kind == PROBE_NAMED;
}

/* Returns whether PROBE has calls that return. SystemTap knows more such probe points. */
static bool has_calls(const struct probe *probe)
{
	return !probe->at_return && !is_counter(probe) && probe->kind != PROBE_TRACE &&
	       probe->kind != PROBE_MARK;
}

/* Sets the unit and the title to the measure's. */
static void describe_measure(struct options *o)
{
	const struct engine_request *q = &o->session.request;
	const struct measure *m = &q->measure;
	const char *where = q->nr_probes == 1 ? q->probes->text : "the probe points";

	if (m->value || m->latency) {
		const char *name = m->value ? m->value + (*m->value == '$') : "";

		free(o->tool.unit);
		o->tool.unit = m->latency ? xstrdup("ns")
			       : m->unit  ? xstrdup(m->unit)
			       : *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789"
							     "ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
				       ? xstrdup(name)
				       : xstrdup("value");
	} else if (q->nr_probes != 1) {
		return;
	} else if (q->probes->kind == PROBE_NAMED) {
		free(o->tool.unit);
		o->tool.unit = xstrndup(q->probes->text, strcspn(q->probes->text, ":"));
	}
	free(o->tool.title);
	o->tool.title = m->latency ? xasprintf("Time in %s", where)
			: m->value ? xasprintf("Sum of %s at %s", m->value, where)
				   : xasprintf("Hits of %s", where);
}

/* Refuses measures that contradict each other or cannot be taken at PROBE. */
static void check_measure(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	const struct measure *m = &q->measure;
	bool bounds =
		tool_value(q->tool, &q->values, "min") || tool_value(q->tool, &q->values, "max");

	if (m->value && m->latency)
		usage_error("--value and --latency are two measures: give one");
	if (m->ranges && tool_takes(q->tool, "at") && !m->value && !m->latency)
		usage_error("--distr needs --value or --latency");
	if (m->ranges && !q->nr_probes && !strcmp(o->engine, "stap"))
		usage_error("--distr: SystemTap records distributions only at probe points; use "
			    "--engine bpf");
	if (m->unit && !m->value)
		usage_error("--value-unit needs --value");
	if (q->nr_probes && bounds && !m->value && !m->latency)
		usage_error("--min and --max need --value or --latency");
	for (size_t i = 0; i < q->nr_probes; i++) {
		const struct probe *probe = &q->probes[i];

		if (m->latency && !has_calls(probe))
			usage_error("--latency needs a function or a system call, without "
				    ".return: %s has no calls",
				probe->text);
		if ((m->value || m->test) && is_counter(probe))
			usage_error("--value and --if: %s has no values", probe->text);
	}
	if (measure_needs_stap(m) && !strcmp(o->engine, "bpf"))
		usage_error("'%s' needs SystemTap: the built-in engine takes $arg1 and so on, "
			    "$return and $NAME, and compares them with a number; --engine stap",
			m->value && !m->knows_value ? m->value : m->test);
}

static void check_probes(struct options *o)
{
	struct engine_request *q = &o->session.request;
	bool is_at = !strcmp(q->tool->name, "at"), counts = false, rates = true;

	q->probes = o->probes.list;
	q->nr_probes = o->probes.nr;
	for (size_t i = 0; i < q->nr_probes; i++) {
		counts |= is_counter(&q->probes[i]);
		rates &= q->probes[i].kind == PROBE_NAMED;
		if (q->probes[i].is_perf && !strcmp(o->engine, "stap"))
			usage_error(
				"-e %s needs the built-in engine: --engine bpf", q->probes[i].text);
		if (q->probes[i].kind == PROBE_OTHER && !strcmp(o->engine, "bpf"))
			usage_error("--at %s needs SystemTap: --engine stap", q->probes[i].text);
	}
	if (is_at && !q->nr_probes && !q->module)
		usage_error("the script at needs --at PROBE or -e EVENT");
	if (q->nr_probes && q->module)
		usage_error("--at is compiled into the module: --script at --module FILE.ko");
	if (q->count && !counts)
		usage_error("-c needs an event that is counted: -e NAME, --at perf.sw.NAME or "
			    "perf.hw.NAME");
	if (q->hz && q->nr_probes && !rates)
		usage_error("-F needs events that are counted, -e NAME: what else is probed has no "
			    "rate");
	if (q->hz && q->count)
		usage_error("-c and -F are two ways to say how many hits there are: give one");
	measure_parse(&q->measure);
	check_measure(o);
	if (q->nr_probes)
		describe_measure(o);
}

enum { SLICES = 200, SLICE_LEAST_MS = 10 };
#define LIVE_SLICE 1.0 /* seconds; as often is shown what --live records */
#define LIVE_LAST 60.0 /* seconds that it keeps */

/*
 * Chooses the length of the slices of time. Recordings and pictures have them by default. If the
 * end is not known, the slices get longer with the recording.
 */
static void choose_slices(struct options *o)
{
	struct engine_request *q = &o->session.request;

	if (o->live) {
		o->slice = LIVE_SLICE;
		o->last = o->last > 0 ? o->last : LIVE_LAST;
	}
	double ms = (o->last > 0 ? o->last : q->seconds) * 1000 / SLICES;

	q->must_slice = o->last > 0 || o->slice > 0;
	if (o->last > 0 && !o->slice)
		usage_error("--last needs slices of time: leave out --slice 0");
	if (o->slice > 0)
		q->slice_ns = (uint64_t)(o->slice * 1e9);
	else if (o->slice < 0 && (o->last > 0 || says_when(o)))
		q->slice_ns = (ms > SLICE_LEAST_MS ? (uint64_t)ms : SLICE_LEAST_MS) * 1000000;
	if (o->last > 0)
		q->slices_last = (uint32_t)(o->last * 1e9 / (double)q->slice_ns + 0.5);
	else if (o->slice < 0)
		q->slices_max = 2 * SLICES;
	if (o->last > 0 && !q->slices_last)
		usage_error("--last is shorter than a slice of time");
	if (o->slice > 0 && !o->live && q->seconds > 0 && o->slice >= q->seconds)
		usage_error("--slice is not shorter than the recording: -t ends it in the first "
			    "slice");
}

void options_check(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->stap_args = o->stap_args;
	q->nr_stap_args = o->nr_stap_args;
	check_engine(o->engine);
	check_combinations(o);
	if (o->push)
		check_push(o->push);
	check_probes(o);
	if (q->compile_only && o->nr_outputs)
		q->compile_to = o->outputs[0];
	choose_slices(o);
	q->windows = o->every > 0;
	o->session.to_stdout =
		!o->every && !o->nr_outputs && !o->report && !q->compile_only && !o->live;
	q->overload = o->overload < 0 ? 50 : (unsigned)o->overload;
	choose_stacks(o);
	check_script(o);
	choose_labels(o);
	label_keys_check(o);
	choose_table(o);
	check_engine_does(o);
	q->pids = o->pids.list;
	q->nr_pids = o->pids.nr;
	q->tids = o->tids.list;
	q->nr_tids = o->tids.nr;
	q->children |= o->session.command && !q->all && !q->selection.kind;
	o->view.lines = o->symbol.lines;
	o->symbol.quiet = o->quiet;
	q->fetch = o->symbol.debuginfod != DEBUGINFOD_NEVER;
	o->view.comm = o->view.comm || q->all || o->pids.nr > 1;
	o->session.progress = !o->quiet && !q->verbose && isatty(STDERR_FILENO);
}
