/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"
#include "engine/script.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/waits.h"
#include "view/args/arg_value.h"
#include "view/args/symbol_args.h"
#include "view/output.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OPT_TID = 0x100,
	OPT_CHILDREN,
	OPT_IDLE,
	OPT_COMM,
	OPT_THREADS,
	OPT_REPORT,
	OPT_ENGINE,
	OPT_STAP_ARG,
	OPT_STACKS,
	OPT_MIN_QUALITY,
	OPT_COMPILE_ONLY,
	OPT_MODULE,
	OPT_OVERLOAD,
	OPT_CHECK,
	OPT_JSON,
	OPT_PERL,
	OPT_MIXED,
	OPT_SCRIPT,
	OPT_STATE,
	OPT_MIN,
	OPT_MAX,
};

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "What to record:", 1},
	{"pid", 'p', "PID[,PID...]", 0, "These processes", 1},
	{"tid", OPT_TID, "TID[,TID...]", 0, "Only these threads", 1},
	{"children", OPT_CHILDREN, NULL, 0,
		"With -p: and the processes that they start; with -- always", 1},
	{"all", 'a', NULL, 0, "Every process; the name of each is its root frame", 1},
	{"idle", OPT_IDLE, NULL, 0, "With -a: idle processors, too", 1},
	{"user", 'u', NULL, 0, "User stacks of every tick; without -u and -k both", 1},
	{"kernel", 'k', NULL, 0, "Kernel stacks of ticks in kernel mode", 1},
	{"perl", OPT_PERL, NULL, 0,
		"Perl stacks in place of user stacks, of every tick; with -k its kernel part, too",
		1},
	{"mixed", OPT_MIXED, NULL, 0,
		"User stacks with Perl's frames in them, and the kernel part; with -u without that",
		1},
	{"time", 't', "SEC", 0, "Stop after SEC seconds; otherwise with Ctrl-C or the target", 1},
	{"rate", 'F', "HZ", 0, "Samples a second on each processor, instead of the tick", 1},
	{"script", OPT_SCRIPT, "NAME", 0,
		"Another question than on-cpu: off-cpu, or a script of your own", 1},
	{"state", OPT_STATE, "LIST", 0,
		"off-cpu: waits in these states, of S,D,T,R,W,I, or blocked (default), runnable, "
		"all",
		1},
	{"min", OPT_MIN, "US", 0, "off-cpu: no shorter waits (default 1)", 1},
	{"max", OPT_MAX, "US", 0, "off-cpu: no longer ones", 1},
	{NULL, 0, NULL, 0, "What to write:", 2},
	{"output", 'o', "FILE", 0,
		"Write FILE, by its ending .rec .bt .folded .svg .csv .json .pb.gz or "
		".speedscope.json; may be repeated; without it .bt on stdout",
		2},
	{"report", OPT_REPORT, "DIR", 0, "Write all of them into a dated folder in DIR", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and number of the thread as root frame", 2},
	{"comm", OPT_COMM, NULL, 0, "Name of the process as root frame, as with -a", 2},
	{"min-quality", OPT_MIN_QUALITY, "PCT", 0,
		"Exit 1 when a smaller share of the frames has a name (default 50; 0: never)", 2},
	{NULL, 0, NULL, 0, "How:", 3},
	{"engine", OPT_ENGINE, "NAME", 0, "auto, stap (SystemTap) or bpf (built in)", 3},
	{"stap-arg", OPT_STAP_ARG, "ARG", 0, "Pass ARG to stap; may be repeated", 3},
	{"stacks", OPT_STACKS, "N", 0, "Room for N different stacks of threads", 3},
	{"overload", OPT_OVERLOAD, "PCT", 0,
		"stap: end it when the probes take more of a processor (default 50; 0: never)", 3},
	{"check", OPT_CHECK, NULL, 0, "Look whether a recording can work here, record nothing", 3},
	{"json", OPT_JSON, NULL, 0, "With --check: as JSON", 3},
	{"compile-only", OPT_COMPILE_ONLY, NULL, 0,
		"Compile what this recording needs, no more; with -o FILE.ko put it there", 3},
	{"release", 'r', "RELEASE", 0, "With --compile-only, --check: for this kernel", 3},
	{"module", OPT_MODULE, "FILE.ko", 0, "Run what --compile-only made, compile nothing", 3},
	{"dump", 'd', NULL, 0, "Print the script and the stap command, run nothing", 3},
	{"quiet", 'q', NULL, 0, "Only errors on stderr", 3},
	{"verbose", 'v', NULL, 0, "And what the engine says", 3},
	{0},
};

static const char doc[] =
	"Samples backtraces of running programs and shows where their time goes.\v"
	"Examples:\n"
	"  sample-bt -p 1302 -t 5 -u > a.bt      user stacks of process 1302, as text\n"
	"  sample-bt -p 1302 -t 5 -k -o a.svg    kernel stacks, as a flame graph\n"
	"  sample-bt -a -t 10 --report profiles  the whole system, all formats\n"
	"  sample-bt -o a.svg -- xz -9 FILE      a program from its first instruction\n";

enum { TARGETS_MAX = 300 }; /* so many numbers fit into a string of a script */
#define US_MAX 1000000000000ULL
#define SECONDS_MAX (US_MAX / 1000000)

static const char *const engine_names[] = {"auto", "stap", "bpf"};

static void parse_ids(struct ids *ids, const char *whole, struct argp_state *state)
{
	for (const char *text = whole;;) {
		size_t n = strcspn(text, ",");
		uint64_t id;

		if (!parse_u64(text, n, 10, &id) || !id || id > INT32_MAX)
			argp_error(state, "'%s' is no list of process numbers such as 1302,1303",
				whole);
		ALLOC_GROW(ids->list, ids->nr, ids->alloc);
		if (ids->nr == TARGETS_MAX)
			argp_error(
				state, "'%s': more than %d processes; use -a", whole, TARGETS_MAX);
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
		argp_error(state, "'%s' must end in one of %s", path, output_endings());
	ALLOC_GROW(o->outputs, o->nr_outputs, o->outputs_alloc);
	o->outputs[o->nr_outputs++] = path;
}

static void add_stap_arg(struct options *o, char *arg)
{
	ALLOC_GROW(o->stap_args, o->nr_stap_args, o->stap_args_alloc);
	o->stap_args[o->nr_stap_args++] = arg;
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
	case OPT_COMPILE_ONLY:
		q->compile_only = true;
		break;
	case OPT_MODULE:
		q->module = arg;
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
		q->release = arg;
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void take_command(struct options *o, struct argp_state *state)
{
	if (!state->quoted)
		argp_error(
			state, "'%s': a program to run stands behind --", state->argv[state->next]);
	o->session.command = state->argv + state->next;
	state->next = state->argc;
}

static unsigned parse_states(const char *list, struct argp_state *state)
{
	unsigned states = waits_parse(list);

	if (!states)
		argp_error(state,
			"--state '%s': give letters of S,D,T,R,W,I, or blocked, runnable, all",
			list);
	return states;
}

/* The name of a file, which stands in a module, too. */
static const char *parse_script(const char *name, struct argp_state *state)
{
	if (!*name || strlen(name) > 31 || name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")])
		argp_error(state, "--script '%s' is no name such as off-cpu", name);
	return name;
}

static error_t parse_question(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct engine_request *q = &o->session.request;

	switch (key) {
	case OPT_PERL:
		q->perl = true;
		break;
	case OPT_MIXED:
		o->mixed = true;
		break;
	case OPT_SCRIPT:
		q->script = parse_script(arg, state);
		break;
	case OPT_STATE:
		q->states = parse_states(arg, state);
		break;
	case OPT_MIN:
		q->min_us = arg_count("--min", arg, 1, US_MAX, state);
		break;
	case OPT_MAX:
		q->max_us = arg_count("--max", arg, 1, US_MAX, state);
		break;
	default:
		return parse_how(key, arg, state);
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct engine_request *q = &o->session.request;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->symbol;
		break;
	case 'p':
		parse_ids(&o->pids, arg, state);
		break;
	case OPT_TID:
		parse_ids(&o->tids, arg, state);
		break;
	case OPT_CHILDREN:
		q->children = true;
		break;
	case 'a':
		q->all = true;
		break;
	case OPT_IDLE:
		q->idle = true;
		break;
	case 'u':
		q->user = true;
		break;
	case 'k':
		q->kernel = true;
		break;
	case 't':
		q->seconds = arg_positive("-t", arg, SECONDS_MAX, state);
		break;
	case 'F':
		q->hz = (unsigned)arg_count("-F", arg, 1, 10000, state);
		break;
	case 'o':
		add_output(o, arg, state);
		break;
	case OPT_REPORT:
		o->report = arg;
		break;
	case OPT_THREADS:
		o->view.threads = true;
		break;
	case OPT_COMM:
		o->view.comm = true;
		break;
	case OPT_MIN_QUALITY:
		o->min_quality = arg_percent("--min-quality", arg, state);
		break;
	case ARGP_KEY_ARGS:
		take_command(o, state);
		break;
	default:
		return parse_question(key, arg, state);
	}
	return 0;
}

static const struct argp argp = {
	.options = option_table,
	.parser = parse,
	.args_doc = "[-- COMMAND [ARG...]]",
	.doc = doc,
	.children = (const struct argp_child[]){{.argp = &symbol_args_argp}, {0}},
};

static __attribute__((noreturn)) void misused(const char *what)
{
	program_say("%s; try --help", what);
	exit(EXIT_USAGE_ERROR);
}

static __attribute__((noreturn)) void misused_script(const char *option, const char *script)
{
	program_say("%s does nothing for the script %s; try --help", option, script);
	exit(EXIT_USAGE_ERROR);
}

/* A module built ahead may do without targets, a check, too; a recording has one kind of them. */
static void settle_targets(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	int targets = (o->pids.nr || o->tids.nr) + q->all + !!o->session.command;

	if (targets > 1 || (o->pids.nr && o->tids.nr))
		misused("too many targets: give one of -p PID, --tid TID, -a, -- COMMAND");
	if (!targets && !o->check && !q->compile_only)
		misused("nothing to record: give one of -p PID, --tid TID, -a, -- COMMAND");
}

/* Modules come from --compile-only and from nothing else. */
static void settle_outputs(struct options *o)
{
	struct engine_request *q = &o->session.request;

	for (size_t i = 0; i < o->nr_outputs; i++)
		if (is_module(o->outputs[i]) != q->compile_only)
			misused(q->compile_only ? "--compile-only writes one file, -o FILE.ko"
						: "a .ko file comes from --compile-only");
	if (q->compile_only && (o->nr_outputs > 1 || o->report || q->module))
		misused("--compile-only writes one file, -o FILE.ko");
	if (q->compile_only && o->nr_outputs)
		q->compile_to = o->outputs[0];
	o->session.to_stdout = !o->nr_outputs && !o->report && !q->compile_only;
}

/* What was said that means nothing, or that a module has in itself. */
static void settle_module(struct options *o)
{
	struct engine_request *q = &o->session.request;

	if (o->json && !o->check)
		misused("--json belongs to --check; for a recording as JSON use -o FILE.json");
	if (q->idle && !q->all)
		misused("--idle belongs to -a");
	if (q->children && !o->pids.nr)
		misused("--children belongs to -p; the processes that -- COMMAND starts are always "
			"recorded, by the built-in engine");
	if (q->children && !strcmp(o->engine, "stap"))
		misused("--children needs the built-in engine: --engine bpf");
	if (!strcmp(o->engine, "bpf") &&
		(q->module || q->compile_only || q->release || q->nr_stap_args))
		misused("--module, --compile-only, -r and --stap-arg are SystemTap's: --engine "
			"stap");
	if (q->release && !q->compile_only && !o->check)
		misused("-r belongs to --compile-only and --check");
	if (q->module && (q->stacks || o->overload >= 0 || q->nr_stap_args || q->release))
		misused("--stacks, --overload, --stap-arg and -r are settled in a module that was "
			"built ahead");
	q->overload = o->overload < 0 ? 50 : (unsigned)o->overload;
}

/* Options that the script says nothing of would do nothing; the engine tells when it is not there.
 */
static void settle_script(const struct options *o)
{
	const struct engine_request *q = &o->session.request;
	const struct {
		const char *name, *option;
		bool given;
	} wishes[] = {
		{"rate", "-F", q->hz},
		{"idle", "--idle", q->idle},
		{"perl", o->mixed ? "--mixed" : "--perl", q->perl},
		{"state", "--state", q->states},
		{"min", "--min", q->min_us},
		{"max", "--max", q->max_us},
	};
	struct strbuf err = STRBUF_INIT;
	struct script script;

	if (!script_find(&script, q->script, &err))
		for (size_t i = 0; i < ARRAY_LEN(wishes); i++)
			if (wishes[i].given && !script_takes(&script, wishes[i].name))
				misused_script(wishes[i].option, q->script);
	script_release(&script);
	strbuf_release(&err);
	if (q->max_us && q->max_us < q->min_us)
		misused("no wait is longer than --min and shorter than --max");
}

static void settle_stacks(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->by_default = !q->user && !q->kernel && !q->perl && !o->mixed;
	if (q->by_default)
		q->user = q->kernel = true;
	if (q->perl && q->user && !o->mixed)
		misused("--perl stacks stand in place of those of -u: --mixed makes one of both");
	if (o->mixed) {
		q->kernel |= !q->user;
		q->perl = q->user = true;
	}
	if (q->idle && q->perl && !q->kernel)
		misused("--idle: no Perl runs on an idle processor; with -k its kernel stack is "
			"recorded");
}

static void settle(struct options *o)
{
	struct engine_request *q = &o->session.request;

	q->stap_args = o->stap_args;
	q->nr_stap_args = o->nr_stap_args;
	settle_targets(o);
	settle_outputs(o);
	settle_module(o);
	settle_stacks(o);
	settle_script(o);
	q->pids = o->pids.list;
	q->nr_pids = o->pids.nr;
	q->tids = o->tids.list;
	q->nr_tids = o->tids.nr;
	q->children |= o->session.command != NULL;
	o->view.lines = o->symbol.lines;
	o->symbol.quiet = o->quiet;
	q->fetch = o->symbol.debuginfod != DEBUGINFOD_NEVER;
	o->view.comm = o->view.comm || q->all || o->pids.nr > 1;
	o->session.progress = !o->quiet && !q->verbose && isatty(STDERR_FILENO);
}

void options_parse(struct options *o, int argc, char **argv)
{
	const char *engine = getenv("FLAMETAP_ENGINE");

	*o = (struct options){.engine = engine && *engine ? engine : "auto",
		.min_quality = 50,
		.view = {.event = -1},
		.symbol = SYMBOL_OPTIONS_INIT,
		.overload = -1,
		.session.words = argv,
		.session.request.script = "on-cpu"};
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
	settle(o);
}

void options_release(struct options *o)
{
	free(o->pids.list);
	free(o->tids.list);
	free(o->outputs);
	free(o->stap_args);
}
