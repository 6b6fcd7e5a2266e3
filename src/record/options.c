/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"
#include "engine/label_sets.h"
#include "label/label.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/args/arg_parse.h"
#include "view/args/arg_value.h"
#include "view/args/symbol_args.h"
#include "view/output.h"
#include "runtime/vm.h"
#include "runtime/vm_choose.h"

#include <argp.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_TID = 0x100,
	OPT_CHILDREN,
	OPT_COMM, /* from here on in the order of enum selection_kind */
	OPT_CGROUP,
	OPT_CONTAINER,
	OPT_UNIT,
	OPT_IDLE,
	OPT_BY,
	OPT_THREADS,
	OPT_REPORT,
	OPT_ENGINE,
	OPT_STAP_ARG,
	OPT_STACKS,
	OPT_TITLE,
	OPT_MIN_QUALITY,
	OPT_SKID,
	OPT_COMPILE_ONLY,
	OPT_MODULE,
	OPT_OVERLOAD,
	OPT_CHECK,
	OPT_JSON,
	OPT_MIXED,
	OPT_SCRIPT,
	OPT_NO_JVM,
	OPT_WITH,
	OPT_LABELS,
	OPT_REQUESTS,
	OPT_WHERE,
	OPT_VM = 0x800,    /* the first interpreter's option */
	OPT_LABEL = 0x900, /* the first option of a source of labels */
	OPT_TOOL = 0x1000, /* the first option of the tool */
};

enum { VM_OPTIONS = NR_VMS + NR_LABEL_SOURCES };

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "What to record:", 1},
	{"pid", 'p', "PID[,PID...]", 0, "These processes", 1},
	{"tid", OPT_TID, "TID[,TID...]", 0, "Only these threads", 1},
	{"children", OPT_CHILDREN, NULL, 0,
		"With -p: also their child processes, those that run already and new ones; always "
		"on for a command, except with SystemTap",
		1},
	{"comm", OPT_COMM, "NAME", 0,
		"Processes and threads of this name, as in ps -o comm; NAME*: that begins so", 1},
	{"cgroup", OPT_CGROUP, "PATH", 0, "Processes in this cgroup and those below it", 1},
	{"container", OPT_CONTAINER, "ID", 0,
		"Processes in the container of this ID, or whose ID begins so", 1},
	{"unit", OPT_UNIT, "NAME", 0,
		"Processes of this systemd unit; a name without suffix means NAME.service", 1},
	{"all", 'a', NULL, 0,
		"All processes, the name of each thread as root frame; with a command while that "
		"runs",
		1},
	{"idle", OPT_IDLE, NULL, 0, "With -a: also idle processors", 1},
	{"user", 'u', NULL, 0, "User stacks; without -u and -k both", 1},
	{"kernel", 'k', NULL, 0, "Kernel stacks of samples in kernel mode", 1},
	{"mixed", OPT_MIXED, NULL, 0,
		"User and interpreter frames in one stack, and the kernel part; with -u without "
		"the kernel part",
		1},
	{"with", OPT_WITH, "KEY[,KEY...]", 0,
		"With --nginx: record these labels, too: args, client, conn, worker", 1},
	{"labels", OPT_LABELS, "N", 0,
		"With --nginx: keep the N most frequent values of each label whose values clients "
		"choose (default 1000); the others become \"other\"",
		1},
	{"requests", OPT_REQUESTS, NULL, 0,
		"With --nginx: also count the requests: bt-report --by shows the time of each", 1},
	{"time", 't', "TIME", 0,
		"Stop after TIME, in seconds or as 500ms, 2m, 1h; default: at Ctrl-C or when the "
		"target ends",
		1},
	{"rate", 'F', "HZ", 0,
		"Samples per second on each processor, at most 10000; default: 999, with SystemTap "
		"those of its timer.profile",
		1},
	{"script", OPT_SCRIPT, "NAME", 0,
		"Script to run instead of on-cpu, such as off-cpu or one of your own; its options "
		"are listed by --script NAME --help",
		1},
	{NULL, 0, NULL, 0, "What to write:", 2},
	{"output", 'o', "FILE", 0,
		"Write FILE, in the format of its ending: .rec .bt .folded .svg .csv .json .pb.gz "
		"or .speedscope.json; can be repeated; default: .bt on stdout",
		2},
	{"title", OPT_TITLE, "TEXT", 0,
		"Heading of pictures and reports; default: what was recorded", 2},
	{"report", OPT_REPORT, "DIR", 0,
		"Write recording, graphs, tables and text into a dated folder in DIR", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and ID of the thread as root frame", 2},
	{"by", OPT_BY, "KEY", 0,
		"Value of the label KEY as root frame; comm: name of the thread, as with -a", 2},
	{"where", OPT_WHERE, "KEY=PATTERN", 0,
		"Show only samples whose label KEY matches the PATTERN, as in uri=/api/*; can be "
		"repeated",
		2},
	{"skid", OPT_SKID, ARG_SKID, 0, ARG_SKID_HELP, 2},
	{"min-quality", OPT_MIN_QUALITY, "PCT", 0,
		"Exit with 1 if a smaller share of the frames has names; default: never", 2},
	{NULL, 0, NULL, 0, "How:", 3},
	{"engine", OPT_ENGINE, "auto|stap|bpf", 0,
		"SystemTap, built in, or the first that works (default)", 3},
	{"stap-arg", OPT_STAP_ARG, "ARG", 0, "Pass ARG to stap; can be repeated", 3},
	{"stacks", OPT_STACKS, "N", 0, "Table size: N different stacks of threads", 3},
	{"overload", OPT_OVERLOAD, "PCT", 0,
		"stap: stop when the probes use more than PCT of a processor (default 50; 0: "
		"never)",
		3},
	{"no-jvm", OPT_NO_JVM, NULL, 0,
		"Do not ask Java processes for the names of their compiled code", 3},
	{"check", OPT_CHECK, NULL, 0, "Check whether recording works here, record nothing", 3},
	{"json", OPT_JSON, NULL, 0, "With --check: print JSON", 3},
	{"compile-only", OPT_COMPILE_ONLY, NULL, 0,
		"Only compile the module for this recording; with -o FILE.ko write it there", 3},
	{"release", 'r', "RELEASE", 0, "With --compile-only or --check: for this kernel", 3},
	{"module", OPT_MODULE, "FILE.ko", 0, "Use a module from --compile-only, compile nothing",
		3},
	{"dump", 'd', NULL, 0, "Print script and stap command, run nothing", 3},
	{"quiet", 'q', NULL, 0, "Only errors on stderr", 3},
	{"verbose", 'v', NULL, 0, "Also the engine's messages", 3},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 3},
	{0},
};

static const char sample_bt_doc[] =
	"Samples backtraces of running programs and shows where their time goes.\v"
	"Examples:\n"
	"  sample-bt -p 1302 -t 5 -u > a.bt      user stacks of process 1302, as text\n"
	"  sample-bt -p 1302 -t 5 -k -o a.svg    kernel stacks, as a flame graph\n"
	"  sample-bt -a -t 10 --report profiles  the whole system, all reports\n"
	"  sample-bt -o a.svg -- xz -9k FILE     a command from its first instruction\n";

#define SECONDS_MAX 1000000

static const char *const engine_names[] = {"auto", "stap", "bpf"};

static void parse_ids(
	struct id_list *ids, const char *option, const char *whole, struct argp_state *state)
{
	for (const char *text = whole;;) {
		size_t n = strcspn(text, ",");
		uint64_t id;

		if (!parse_u64(text, n, 10, &id) || !id || id > INT32_MAX)
			arg_invalid(option, whole, "numbers separated by commas, such as 1302,1303",
				state);
		ALLOC_GROW(ids->list, ids->nr, ids->alloc);
		if (ids->nr == TARGETS_MAX)
			arg_error(state, "'%s': more than %d targets; use -a", whole, TARGETS_MAX);
		ids->list[ids->nr++] = (uint32_t)id;
		if (!text[n])
			return;
		text += n + 1;
	}
}

static bool is_module(const char *path)
{
	return ends_with(file_name(path), ".ko");
}

static void add_output(struct options *o, const char *path, struct argp_state *state)
{
	if (output_format(path) < 0 && !is_module(path))
		arg_error(state, "invalid --output '%s': use a name that ends in one of %s", path,
			output_endings());
	ALLOC_GROW(o->outputs, o->nr_outputs, o->outputs_alloc);
	o->outputs[o->nr_outputs++] = path;
}

static void add_stap_arg(struct options *o, char *arg)
{
	ALLOC_GROW(o->stap_args, o->nr_stap_args, o->stap_args_alloc);
	o->stap_args[o->nr_stap_args++] = arg;
}

static error_t parse_label(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_LABELS:
		o->session.request.label_values =
			(uint32_t)arg_count("--labels", arg, 1, LABEL_VALUES_MAX, state);
		break;
	case OPT_REQUESTS:
		o->session.request.count_ends = true;
		break;
	case OPT_WITH:
		o->with = arg_text("--with", arg, "labels separated by commas", state);
		break;
	case OPT_WHERE:
		if (label_filter_add(&o->where, arg) < 0)
			arg_invalid("--where", arg, "KEY=PATTERN, such as uri=/api/*", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_how(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct engine_request *q = &o->session.request;

	switch (key) {
	case OPT_ENGINE:
		o->engine = engine_names[arg_word(
			"--engine", arg, engine_names, ARRAY_LEN(engine_names), state)];
		break;
	case OPT_STAP_ARG:
		add_stap_arg(o, arg);
		break;
	case OPT_STACKS:
		q->stacks = arg_count("--stacks", arg, 1, 1 << 20, state);
		break;
	case OPT_NO_JVM:
		o->session.no_jvm = true;
		break;
	case OPT_COMPILE_ONLY:
		q->compile_only = true;
		break;
	case OPT_MODULE:
		q->module = arg_text("--module", arg, "a file that --compile-only made", state);
		break;
	case OPT_OVERLOAD:
		o->overload = (int)arg_count("--overload", arg, 0, 100, state);
		break;
	case OPT_CHECK:
		o->check = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case 'r':
		q->release = arg_text("--release", arg, "the release of a kernel", state);
		break;
	case 'd':
		o->session.describe = true;
		break;
	case 'q':
		o->quiet = true;
		break;
	case 'v':
		q->verbose = true;
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	default:
		return parse_label(key, arg, state);
	}
	return 0;
}

static void parse_command(struct options *o, struct argp_state *state)
{
	if (!state->quoted)
		arg_error(state, "'%s': put the command after --", state->argv[state->next]);
	o->session.command = state->argv + state->next;
	state->next = state->argc;
}

/* Whether a script file may have this name, which is also part of the module's name. */
static bool is_script_name(const char *name)
{
	return *name && strlen(name) <= 31 && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];
}

static error_t parse_script(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case OPT_MIXED:
		o->mixed = true;
		break;
	case OPT_SCRIPT:
		if (!is_script_name(arg))
			arg_invalid("--script", arg, "a name such as off-cpu", state);
		break; /* see find_script() */
	default:
		return parse_how(key, arg, state);
	}
	return 0;
}

/* Makes the name of the process or the value of a label the root frame. */
static void add_root(struct options *o, const char *key)
{
	if (!strcmp(key, "comm"))
		o->view.comm = true;
	else
		o->view.by = key;
}

static void parse_selection(struct options *o, int key, const char *arg, struct argp_state *state)
{
	static const char *const names[] = {"--comm", "--cgroup", "--container", "--unit"};
	const char *name = names[key - OPT_COMM];
	struct selection *s = &o->session.request.selection;
	const char *use;

	if (s->kind)
		arg_error(state, "%s: only one name can be given", name);
	*s = (struct selection){SELECT_COMM + (enum selection_kind)(key - OPT_COMM), arg};
	use = selection_check(s);
	if (use)
		arg_invalid(name, arg, use, state);
}

static error_t parse_target(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct engine_request *q = &o->session.request;

	switch (key) {
	case 'p':
		parse_ids(&o->pids, "--pid", arg, state);
		break;
	case OPT_TID:
		parse_ids(&o->tids, "--tid", arg, state);
		break;
	case OPT_CHILDREN:
		q->children = true;
		break;
	case OPT_COMM:
	case OPT_CGROUP:
	case OPT_CONTAINER:
	case OPT_UNIT:
		parse_selection(o, key, arg, state);
		break;
	case 'a':
		q->all = true;
		break;
	case OPT_IDLE:
		q->idle = true;
		break;
	default:
		return parse_script(key, arg, state);
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct engine_request *q = &o->session.request;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[2] = o;
		state->child_inputs[1] = &o->symbol;
		break;
	case 'u':
		q->user = true;
		break;
	case 'k':
		q->kernel = true;
		break;
	case 't':
		q->seconds = arg_duration("--time", arg, SECONDS_MAX, state);
		break;
	case 'F':
		q->hz = (unsigned)arg_count("--rate", arg, 1, 10000, state);
		break;
	case 'o':
		add_output(o, arg, state);
		break;
	case OPT_TITLE:
		o->title = arg;
		break;
	case OPT_REPORT:
		o->report = arg_text("--report", arg, "the name of a folder", state);
		break;
	case OPT_THREADS:
		o->view.threads = true;
		break;
	case OPT_BY:
		add_root(o, arg_text("--by", arg, "the key of a label", state));
		break;
	case OPT_MIN_QUALITY:
		o->min_quality = arg_percent("--min-quality", arg, state);
		break;
	case OPT_SKID:
		o->skid = arg_skid(arg, state);
		break;
	case ARGP_KEY_ARGS:
		parse_command(o, state);
		break;
	default:
		return parse_target(key, arg, state);
	}
	return 0;
}

static __attribute__((noreturn)) void usage_error(const char *what)
{
	program_say("%s; try --help", what);
	exit(EXIT_USAGE_ERROR);
}

/* FMT has one conversion, %s, for TEXT. */
static __attribute__((noreturn)) void usage_error_fmt(const char *fmt, const char *text)
{
	char *what = xasprintf(fmt, text);

	usage_error(what);
}

static __attribute__((noreturn)) void usage_error_script(const char *option, const char *script)
{
	program_say("%s: the script %s does not support it; try --help", option, script);
	exit(EXIT_USAGE_ERROR);
}

/* --engine was checked when it was parsed, but $FLAMETAP_ENGINE was not. */
static void validate_engine(const struct options *o)
{
	for (size_t i = 0; i < ARRAY_LEN(engine_names); i++)
		if (!strcmp(o->engine, engine_names[i]))
			return;
	usage_error_fmt("invalid FLAMETAP_ENGINE '%s': use auto, stap or bpf", o->engine);
}

/*
 * A recording has exactly one kind of target; --compile-only and --check may have none. With -a or
 * a selection, a command only sets the duration.
 */
static void validate_targets(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	bool command = o->session.command;
	int open = q->all + !!q->selection.kind;
	int targets = !!o->pids.nr + !!o->tids.nr + (open ? open : command);

	if (targets > 1)
		usage_error("too many targets: give one of -p PID, --tid TID, --comm NAME, "
			    "--cgroup PATH, --container ID, --unit NAME, -a, -- COMMAND; only -a "
			    "and those by name go with a command");
	if (!targets && !o->check && !q->compile_only)
		usage_error("nothing to record: give one of -p PID, --tid TID, --comm NAME, "
			    "--cgroup PATH, --container ID, --unit NAME, -a, -- COMMAND");
}

/* Checks the outputs. Only --compile-only writes modules. */
static void validate_outputs(struct options *o)
{
	struct engine_request *q = &o->session.request;

	for (size_t i = 0; i < o->nr_outputs; i++)
		if (is_module(o->outputs[i]) != q->compile_only)
			usage_error(q->compile_only ? "--compile-only writes one file, -o FILE.ko"
						    : "a .ko file comes from --compile-only");
	if (q->compile_only && (o->nr_outputs > 1 || o->report || q->module))
		usage_error("--compile-only writes one file, -o FILE.ko");
	if (q->compile_only && o->nr_outputs)
		q->compile_to = o->outputs[0];
	o->session.to_stdout = !o->nr_outputs && !o->report && !q->compile_only;
}

/* Refuses options that would have no effect, or that are compiled into a module. */
static void validate_module(struct options *o)
{
	struct engine_request *q = &o->session.request;
	bool stap = !strcmp(o->engine, "stap"), bpf = !strcmp(o->engine, "bpf");
	const struct {
		bool refused;
		const char *why;
	} rules[] = {
		{o->json && !o->check,
			"--json needs --check; for a recording as JSON use -o FILE.json"},
		{q->idle && !q->all, "--idle needs -a"},
		{q->children && !o->pids.nr,
			"--children needs -p; for a command the built-in engine always does it"},
		{q->children && stap, "--children needs the built-in engine: --engine bpf"},
		{bpf && (q->module || q->compile_only || q->release || q->nr_stap_args),
			"--module, --compile-only, -r and --stap-arg need SystemTap: --engine "
			"stap"},
		{q->release && !q->compile_only && !o->check, "-r needs --compile-only or --check"},
		{q->module && (q->stacks || o->overload >= 0 || q->nr_stap_args || q->release),
			"--stacks, --overload, --stap-arg and -r cannot be changed in a compiled "
			"module"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (rules[i].refused)
			usage_error(rules[i].why);
	q->overload = o->overload < 0 ? 50 : (unsigned)o->overload;
}

/* Refuses options that the script does not support. */
static void validate_script(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	char *vm_option = xasprintf("--%s", q->vm && !o->mixed ? q->vm->language->name : "mixed");
	char *label_option = xasprintf("--%s", q->label ? q->label->name : "");
	const struct {
		const char *name, *option;
		bool given;
	} used[] = {
		{"rate", "-F", q->hz},
		{"idle", "--idle", q->idle},
		{"vm", vm_option, q->vm},
		{"kernel", "-k", q->kernel && q->tool->nr_functions},
		{"label", label_option, q->label},
	};
	struct strbuf err = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_LEN(used); i++)
		if (used[i].given && !tool_takes(q->tool, used[i].name))
			usage_error_script(used[i].option, q->tool->name);
	if (tool_values_check(q->tool, &q->values, &err))
		usage_error(err.buf);
	free(vm_option);
	free(label_option);
	strbuf_release(&err);
}

/* Refuses OPTION where SystemTap would have to record. SystemTap cannot do WHAT. */
static void require_bpf(const struct options *o, const char *option, const char *what)
{
	if (!strcmp(o->engine, "stap"))
		usage_error(xasprintf("%s needs the built-in engine, SystemTap does not %s: "
				      "--engine bpf",
			option, what));
	if (engine_needs_stap(&o->session.request))
		usage_error_fmt("%s needs the built-in engine: it cannot be combined with "
				"--module, --compile-only, -r, --stap-arg or a script that only "
				"SystemTap runs",
			option);
}

/*
 * Refuses an interpreter whose stacks SystemTap cannot walk where SystemTap would have to record.
 */
static void validate_vm(const struct options *o)
{
	const struct engine_request *q = &o->session.request;

	if (!q->vm || (q->vm->add_values && !(o->mixed && q->vm->alone_in_script)))
		return;
	char *option = xasprintf("--%s%s", o->mixed ? "mixed with --" : "", q->vm->language->name);

	require_bpf(o, option, "walk these stacks yet");
	free(option);
}

/* Refuses a tool that has no script where SystemTap would have to record. */
static void validate_built_in(const struct options *o)
{
	const struct tool *tool = o->session.request.tool;

	if (!tool->is_built_in && !tool->nr_functions)
		return;
	char *script = xasprintf("the script %s", tool->name);
	char *what = xasprintf("record %s", tool->event);

	require_bpf(o, script, what);
	free(script);
	free(what);
}

static void choose_stacks(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->by_default = !q->user && !q->kernel && !q->vm && !o->mixed;
	if (q->by_default) {
		q->user = true;
		q->kernel = !q->tool->nr_functions; /* these functions are called in user space */
	}
	if (q->vm && q->user && !o->mixed)
		usage_error_fmt("--%s replaces the stacks of -u; use --mixed for both",
			q->vm->language->name);
	if (o->mixed) {
		q->kernel |= !q->user;
		if (!q->vm)
			q->vm = vm_choose(o->pids.list, o->pids.nr);
		if (!q->vm)
			q->vm = vm_choose(o->tids.list, o->tids.nr);
		if (!q->vm)
			q->vm = vms[0];
		q->mixed = q->user = true;
	}
	if (q->idle && q->vm && !q->kernel)
		usage_error_fmt(
			"--idle: no %s runs on an idle processor; add -k for its kernel stack",
			q->vm->language->title);
}

static __attribute__((noreturn)) void refuse_label(
	const struct label_source *source, const char *name, size_t len)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "--with: %s has no label '%.*s'; its labels are", source->title,
		(int)len, name);
	for (int i = 0; source->keys[i].name; i++)
		strbuf_addf(&text, "%s %s", i ? "," : "", source->keys[i].name);
	usage_error(text.buf);
}

static __attribute__((noreturn)) void refuse_without_source(void)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_adds(&text, "--with, --labels and --requests need a source of labels:");
	for (int i = 0; i < NR_LABEL_SOURCES; i++)
		strbuf_addf(&text, "%s --%s", i ? "," : "", label_sources[i]->name);
	usage_error(text.buf);
}

/* Adds the labels of LIST, separated by commas. */
static void add_labels(struct engine_request *q, const char *list)
{
	for (size_t len;; list += len + 1) {
		len = strcspn(list, ",");
		uint32_t bit = label_key_bit(q->label, list, len);

		if (!bit)
			refuse_label(q->label, list, len);
		q->label_keys |= bit;
		if (!list[len])
			return;
	}
}

/* Adds the label KEY if the source of labels has it. */
static void add_label_of_view(struct engine_request *q, const char *key)
{
	q->label_keys |= label_key_bit(q->label, key, strlen(key));
}

/* Chooses the source of labels that the script needs, unless one is given. */
static void choose_source(struct engine_request *q)
{
	for (int i = 0; !q->label && q->tool->labels && i < NR_LABEL_SOURCES; i++)
		if (!strcmp(label_sources[i]->name, q->tool->labels))
			q->label = label_sources[i];
}

/* Chooses the labels to record, including labels that the views need. */
static void choose_labels(struct options *o)
{
	struct engine_request *q = &o->session.request;

	o->view.labels = o->where.nr ? &o->where : NULL;
	choose_source(q);
	if (!q->label) {
		if (o->with || q->label_values || q->count_ends)
			refuse_without_source();
		return;
	}
	if (!q->label_values)
		q->label_values = LABEL_VALUES_DEFAULT;
	q->label_keys = label_default_keys(q->label);
	if (o->with)
		add_labels(q, o->with);
	if (o->view.by)
		add_label_of_view(q, o->view.by);
	for (size_t i = 0; i < o->where.nr; i++)
		add_label_of_view(q, o->where.choices[i].key);
	q->children |= q->label->children && o->pids.nr;
	if (!q->label->add_values)
		require_bpf(o, q->label->title, "record these labels");
	if (q->count_ends && !q->label->end)
		usage_error_fmt(
			"--requests: the requests of %s cannot be counted", q->label->title);
	if (q->count_ends)
		require_bpf(o, "--requests", "count requests");
}

static void finish_options(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->stap_args = o->stap_args;
	q->nr_stap_args = o->nr_stap_args;
	validate_engine(o);
	validate_targets(o);
	validate_outputs(o);
	validate_module(o);
	choose_stacks(o);
	validate_script(o);
	validate_vm(o);
	validate_built_in(o);
	choose_labels(o);
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

/*
 * Returns the name in the last --script. Like argp, getopt accepts abbreviations and stops at "--".
 */
static const char *find_script(int argc, char **argv)
{
	static const struct option script[] = {
		{"script", required_argument, NULL, OPT_SCRIPT}, {0}};
	const char *name = "on-cpu";
	int key;

	optind = 0;
	opterr = 0;
	while ((key = getopt_long(argc, argv, "-p:aukt:F:o:r:dqv", script, NULL)) != -1)
		if (key == OPT_SCRIPT)
			name = optarg;
	opterr = 1;
	return is_script_name(name) ? name : "on-cpu";
}

static error_t parse_tool_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	size_t i = (size_t)(key - OPT_TOOL);
	struct strbuf err = STRBUF_INIT;

	if (key < OPT_TOOL || i >= o->tool.nr_options)
		return ARGP_ERR_UNKNOWN;
	if (tool_option_parse(o->tool.options[i], arg, &o->session.request.values.list[i], &err))
		arg_error(state, "%s", err.buf);
	strbuf_release(&err);
	return 0;
}

static error_t parse_vm_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	if (key >= OPT_VM && key < OPT_VM + NR_VMS)
		o->session.request.vm = vms[key - OPT_VM];
	else if (key >= OPT_LABEL && key < OPT_LABEL + NR_LABEL_SOURCES)
		o->session.request.label = label_sources[key - OPT_LABEL];
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/*
 * Returns the flags of an option. An option that the tool does not take is hidden from --help, but
 * parsed, so that it can be refused with a message.
 */
static int listed_if(const struct tool *tool, const char *option)
{
	return tool_takes(tool, option) ? 0 : OPTION_HIDDEN;
}

static void list_options(const struct tool *tool, struct argp_option *table)
{
	memcpy(table, option_table, sizeof(option_table));
	for (; table->name || table->doc; table++) {
		switch (table->key) {
		case 'F':
			table->flags = listed_if(tool, "rate");
			break;
		case OPT_IDLE:
			table->flags = listed_if(tool, "idle");
			break;
		case OPT_MIXED:
			table->flags = listed_if(tool, "vm");
			break;
		case OPT_WITH:
		case OPT_LABELS:
		case OPT_REQUESTS:
			table->flags = listed_if(tool, "label");
			break;
		}
	}
}

/* Lists one option per interpreter and per source of labels. The caller frees their doc. */
static void list_vm_options(const struct tool *tool, struct argp_option *table)
{
	for (int i = 0; i < NR_VMS; i++)
		table[i] = (struct argp_option){vms[i]->language->name, OPT_VM + i, NULL,
			listed_if(tool, "vm"),
			xasprintf("%s stacks instead of user stacks; with -k also the kernel part",
				vms[i]->language->title),
			1};
	for (int i = 0; i < NR_LABEL_SOURCES; i++)
		table[NR_VMS + i] = (struct argp_option){label_sources[i]->name, OPT_LABEL + i,
			NULL, listed_if(tool, "label"),
			xasprintf("Label samples with %s%s", label_sources[i]->owner,
				label_sources[i]->children
					? "; with -p, child processes are recorded, too"
					: ""),
			1};
}

static bool is_in_table(const struct argp_option *table, const char *name)
{
	for (; table->name || table->doc; table++)
		if (table->name && !strcmp(table->name, name))
			return true;
	return false;
}

/* Lists the options that the tool declares. The caller frees their doc. */
static void list_tool_options(const struct tool *tool, struct argp_option *table)
{
	for (size_t i = 0; i < tool->nr_options; i++) {
		const struct tool_option *o = tool->options[i];
		struct strbuf help = STRBUF_INIT;

		if (is_in_table(option_table, o->name) ||
			is_in_table(symbol_args_argp.options, o->name) ||
			vm_named(o->name, strlen(o->name))) {
			program_say("'%s' declares --%s, which sample-bt has already: rename it",
				tool->path, o->name);
			exit(EXIT_FAILED);
		}
		strbuf_adds(&help, o->help);
		if (o->default_value) {
			strbuf_adds(&help, " (default ");
			tool_option_print(o, o->default_value, &help);
			strbuf_addch(&help, ')');
		}
		*table++ = (struct argp_option){
			o->name, OPT_TOOL + (int)i, o->metavar, 0, strbuf_detach(&help), 1};
	}
}

static void find_tool(struct options *o, int argc, char **argv)
{
	struct strbuf err = STRBUF_INIT;

	if (tool_find(&o->tool, find_script(argc, argv), &err)) {
		program_say_lines(&err);
		exit(EXIT_FAILED);
	}
	strbuf_release(&err);
	o->session.request.tool = &o->tool;
}

/* Returns the text of --help before and after the options. A script in bin/ has its own text. */
static char *make_doc(const char *program)
{
	const char *about = getenv("FLAMETAP_ABOUT");
	char *doc = about && *about ? xasprintf("%s\v"
						"Examples:\n"
						"  %s -p 1302 -t 5 > a.bt           "
						"process 1302, as text\n"
						"  %s -p 1302 -t 5 -o a.svg         "
						"the same as a flame graph\n"
						"  %s -a -t 10 --report profiles    "
						"the whole system, all reports\n",
					      about, program, program, program)
				    : xstrdup(sample_bt_doc);

	unsetenv("FLAMETAP_ABOUT");
	return doc;
}

static void parse_words(struct options *o, int argc, char **argv)
{
	struct argp_option options[ARRAY_LEN(option_table)];
	struct argp_option tool_options[TOOL_OPTIONS_MAX + 1] = {0},
							   vm_options[VM_OPTIONS + 1] = {0};
	const struct argp tool_argp = {.options = tool_options, .parser = parse_tool_option};
	const struct argp vm_argp = {.options = vm_options, .parser = parse_vm_option};
	char *title = xasprintf("Options of the script %s:", o->tool.name);
	char *doc = make_doc(argv[0]);
	const struct argp_child children[] = {
		{.argp = &tool_argp, .header = o->tool.nr_options ? title : NULL, .group = 1},
		{.argp = &symbol_args_argp},
		{.argp = &vm_argp},
		{0},
	};
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = doc,
		.children = children,
	};

	list_options(&o->tool, options);
	list_tool_options(&o->tool, tool_options);
	list_vm_options(&o->tool, vm_options);
	arg_parse(&argp, argc, argv, ARGP_IN_ORDER, o);
	for (size_t i = 0; i < o->tool.nr_options; i++)
		free((char *)(uintptr_t)tool_options[i].doc);
	for (size_t i = 0; i < VM_OPTIONS; i++)
		free((char *)(uintptr_t)vm_options[i].doc);
	free(title);
	free(doc);
}

/* Takes the name by which a script in bin/ was called, for usage messages. */
static void take_name(char **argv)
{
	const char *name = getenv("FLAMETAP_NAME");

	if (name && *name)
		program_invocation_short_name = argv[0] = xstrdup(name);
	unsetenv("FLAMETAP_NAME"); /* the command must not get it */
}

void options_parse(struct options *o, int argc, char **argv)
{
	const char *engine = getenv("FLAMETAP_ENGINE");

	take_name(argv);

	*o = (struct options){.engine = engine && *engine ? engine : "auto",
		.min_quality = ACCOUNT_NO_LEAST,
		.view = {.event = -1},
		.symbol = SYMBOL_OPTIONS_INIT,
		.overload = -1,
		.session.words = argv};
	find_tool(o, argc, argv);
	parse_words(o, argc, argv);
	finish_options(o);
}

void options_release(struct options *o)
{
	tool_release(&o->tool);
	free(o->pids.list);
	free(o->tids.list);
	free(o->outputs);
	free(o->stap_args);
	label_filter_release(&o->where);
}
