/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options.h"
#include "label/label.h"
#include "label/memberships.h"
#include "label_keys.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "options_check.h"
#include "options_table.h"
#include "runtime/vm.h"
#include "view/args/arg_value.h"
#include "view/args/symbol_args.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_SCRIPT = 0x100, OPT_AT, VM_OPTIONS = NR_VMS + NR_LABEL_SOURCES + 2 };

static const char sample_bt_doc[] =
	"Samples backtraces of running programs and shows where their time goes.\v"
	"Examples:\n"
	"  sample-bt -p 1302 -t 5 -u > a.bt      user stacks of process 1302, as text\n"
	"  sample-bt -p 1302 -t 5 -k -o a.svg    kernel stacks, as a flame graph\n"
	"  sample-bt -a -t 10 --report profiles  the whole system, all reports\n"
	"  sample-bt -o a.svg -- xz -9k FILE     a command from its first instruction\n";

static void take_command(void *input, const struct arg_words *words)
{
	struct options *o = input;

	const char *word = words->list[0];
	bool is_number = !word[strspn(word, "0123456789")];

	if (!words->nr_quoted && is_number)
		arg_error("'%s': use -p %s for a process, -t %s for a time in seconds", word, word,
			word);
	if (!words->nr_quoted)
		arg_error("'%s': put the command after --", word);
	o->session.command = words->list;
}

/*
 * Returns the name in the last --script, or "at" for --at or --event alone. Like argp, getopt
 * accepts abbreviations and stops at "--".
 */
static const char *find_script(int argc, char **argv)
{
	static const struct option script[] = {{"script", required_argument, NULL, OPT_SCRIPT},
		{"at", required_argument, NULL, OPT_AT}, {"event", required_argument, NULL, OPT_AT},
		{0}};
	const char *name = "on-cpu";
	bool at = false;
	int key;

	optind = 0;
	opterr = 0;
	while ((key = getopt_long(argc, argv, "-p:aukt:F:c:e:o:r:dqv", script, NULL)) != -1) {
		if (key == OPT_SCRIPT)
			name = optarg;
		at |= key == OPT_AT || key == 'e';
	}
	opterr = 1;
	if (at && !strcmp(name, "on-cpu"))
		return "at";
	return options_is_script_name(name) ? name : "on-cpu";
}

static void set_tool_value(const struct arg_option *option, const char *arg, void *to)
{
	struct options *o = to;
	size_t i = (size_t)option->choice;
	struct strbuf err = STRBUF_INIT;

	if (tool_option_parse(o->tool.options[i], arg, &o->session.request.values.list[i], &err))
		arg_error("%s", err.buf);
	strbuf_release(&err);
}

static void add_vm(const struct arg_option *option, const char *arg, void *to)
{
	struct engine_request *q = to;

	(void)arg;
	q->vms |= VM_BIT(vms[option->choice]->kind);
}

static bool add_vm_named(struct engine_request *q, const char *name, size_t len)
{
	const struct vm *vm = vm_named(name, len);
	bool is_auto = len == strlen("auto") && !memcmp(name, "auto", len);

	q->vms |= is_auto ? VM_ALL : vm ? VM_BIT(vm->kind) : 0;
	q->any_vm |= is_auto;
	return is_auto || vm;
}

static void add_vms(const struct arg_option *option, const char *arg, void *to)
{
	const char *name = arg;
	size_t len;

	do {
		len = strcspn(name, ",");
		if (!add_vm_named(to, name, len))
			arg_invalid(option, arg,
				"auto, or languages separated by commas, such as perl,python");
		name += len + 1;
	} while (name[-1]);
}

static void add_source(const struct arg_option *option, const char *arg, void *to)
{
	(void)arg;
	label_choose(to, label_sources[option->choice]);
}

/* Returns the help of --by. The caller frees it. */
static char *list_root_words(const struct tool *tool)
{
	struct strbuf help = STRBUF_INIT;

	strbuf_adds(&help, "As root frame, one of " ARG_TASK_WORDS);
	label_keys_list(tool, &help);
	strbuf_adds(&help, ARG_LABEL_WORDS "; comm, the thread's name, is the default with -a");
	return strbuf_detach(&help);
}

/*
 * Lists the options that do not depend on the tool, but BY, the help of --by. Options that the tool
 * does not take are hidden from --help, but parsed, so that they can be refused with a message.
 */
static void list_options(const struct tool *tool, const char *by, struct arg_option *rows)
{
	static const struct {
		const char *option, *what;
	} needs[] = {{"rate", "rate"}, {"at", "at"}, {"event", "at"}, {"count", "at"},
		{"value", "at"}, {"latency", "at"}, {"distr", "distr"}, {"if", "at"},
		{"value-unit", "at"}, {"idle", "idle"}, {"mixed", "vm"}, {"labels", "label"},
		{"requests", "label"}};

	memcpy(rows, options_rows, options_nr_rows * sizeof(*rows));
	for (; rows->name || rows->help; rows++) {
		if (rows->name && !strcmp(rows->name, "kernel"))
			rows->is_hidden = tool_is_in_user(tool);
		if (rows->name && !strcmp(rows->name, "by"))
			rows->help = by;
		for (size_t i = 0; rows->name && i < ARRAY_LEN(needs); i++)
			if (!strcmp(rows->name, needs[i].option))
				rows->is_hidden = !tool_takes(tool, needs[i].what);
	}
}

/*
 * Returns the help of --with: the labels of interpreters and of sources of labels that are not
 * recorded by default. The caller frees it.
 */
static char *list_more_labels(const struct tool *tool)
{
	struct strbuf help = STRBUF_INIT;

	strbuf_adds(&help, "Record these labels, too; of processes, which several processes have "
			   "without it");
	for (int i = 0; i < NR_MEMBERSHIPS; i++)
		strbuf_addf(&help, "%s%s", i ? ", " : ": ", membership_keys[i]);
	if (tool_takes(tool, "operators"))
		strbuf_adds(&help,
			"; of an interpreter: " VM_OP_LABEL ", the operator that it executes");
	for (int i = 0; i < NR_LABEL_SOURCES; i++) {
		const char *before = ": ";

		strbuf_addf(&help, "; of %s", label_sources[i]->title);
		for (const struct label_key *key = label_sources[i]->keys; key->name; key++) {
			if (key->by_default)
				continue;
			strbuf_addf(&help, "%s%s", before, key->name);
			before = ", ";
		}
	}
	return strbuf_detach(&help);
}

/* Returns the help of --vm. The caller frees it. */
static char *list_languages(void)
{
	struct strbuf help = STRBUF_INIT;

	strbuf_adds(&help, "Stacks of several languages at once, one of auto, ");
	for (int i = 0; i < NR_VMS; i++)
		strbuf_addf(&help, "%s, ", vms[i]->language->name);
	strbuf_adds(&help, "or some of these; auto: all that the processes run");
	return strbuf_detach(&help);
}

/*
 * Lists one option per interpreter and per source of labels, and the options for several of them.
 * The caller frees their help.
 */
static void list_vm_options(const struct tool *tool, struct arg_option *rows)
{
	for (int i = 0; i < NR_VMS; i++)
		*rows++ = (struct arg_option){vms[i]->language->name, 0, NULL,
			xasprintf("%s stacks instead of user stacks; with -k also the kernel part",
				vms[i]->language->title),
			1, add_vm, ARG_AT(struct options, session.request), .choice = i,
			.is_hidden = !tool_takes(tool, "vm")};
	*rows++ = (struct arg_option){"vm", 0, "LANGUAGE[,LANGUAGE...]", list_languages(), 1,
		add_vms, ARG_AT(struct options, session.request),
		.is_hidden = !tool_takes(tool, "vm")};
	for (int i = 0; i < NR_LABEL_SOURCES; i++)
		*rows++ = (struct arg_option){label_sources[i]->name, 0, NULL,
			xasprintf("Label samples with %s%s", label_sources[i]->owner,
				label_sources[i]->children
					? "; with -p, child processes are recorded, too"
					: ""),
			1, add_source, ARG_AT(struct options, session.request.labels), .choice = i,
			.is_hidden = !tool_takes(tool, "label")};
	*rows = (struct arg_option){"with", 0, "KEY[,KEY...]", list_more_labels(tool), 1, arg_text,
		ARG_AT(struct options, with), .use = "labels separated by commas",
		.is_hidden = !tool_takes(tool, "label")};
}

static bool is_in_table(const struct arg_option *rows, const char *name)
{
	for (; rows->name || rows->help; rows++)
		if (rows->name && !strcmp(rows->name, name))
			return true;
	return false;
}

/*
 * Lists the options that the tool declares, which must not be in VM_ROWS. The caller frees the help
 * of all rows.
 */
static void list_tool_options(
	const struct tool *tool, const struct arg_option *vm_rows, struct arg_option *rows)
{
	if (tool->nr_options)
		*rows++ = (struct arg_option){
			.group = 2, .help = xasprintf("Options of the script %s:", tool->name)};
	for (size_t i = 0; i < tool->nr_options; i++) {
		const struct tool_option *o = tool->options[i];
		struct strbuf help = STRBUF_INIT;

		if (is_in_table(options_rows, o->name) ||
			is_in_table(symbol_args.options, o->name) ||
			is_in_table(vm_rows, o->name)) {
			program_say("the script '%s' declares --%s, which sample-bt has already: "
				    "rename it",
				tool->name, o->name);
			exit(EXIT_FAILED);
		}
		strbuf_adds(&help, o->help);
		if (o->default_value) {
			strbuf_adds(&help, " (default ");
			tool_option_print(o, o->default_value, &help);
			strbuf_addch(&help, ')');
		}
		*rows++ = (struct arg_option){o->name, 0, o->metavar, strbuf_detach(&help), 2,
			set_tool_value, .choice = (int)i};
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

static void free_help(const struct arg_option *rows)
{
	for (; rows->name || rows->help; rows++)
		free((char *)(uintptr_t)rows->help);
}

static void parse_words(struct options *o, int argc, char **argv)
{
	struct arg_option *rows = xcalloc(options_nr_rows, sizeof(*rows));
	struct arg_option tool_rows[TOOL_OPTIONS_MAX + 2] = {0}, vm_rows[VM_OPTIONS + 1] = {0};
	char *about = make_doc(argv[0]), *by = list_root_words(&o->tool);
	const struct arg_table tool_table = {.options = tool_rows}, vm_table = {.options = vm_rows};
	const struct arg_table table = {
		.options = rows,
		.parts = (const struct arg_part[]){{&tool_table, 0},
			{&symbol_args, offsetof(struct options, symbol)}, {&vm_table, 0}, {0}},
		.take_words = take_command,
		.words = "[-- COMMAND [ARG...]]",
		.about = about,
		.in_order = true,
		.elsewhere = options_elsewhere,
	};

	list_options(&o->tool, by, rows);
	list_vm_options(&o->tool, vm_rows);
	list_tool_options(&o->tool, vm_rows, tool_rows);
	arg_parse(&table, argc, argv, o);
	free_help(tool_rows);
	free_help(vm_rows);
	free(rows);
	free(about);
	free(by);
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
		.slice = -1,
		.spool_max = 256,
		.spool_age = 7 * 24 * 3600,
		.session.words = argv};
	find_tool(o, argc, argv);
	parse_words(o, argc, argv);
	options_check(o);
}

void options_release(struct options *o)
{
	tool_release(&o->tool);
	for (size_t i = 0; i < o->probes.nr; i++)
		probe_release(&o->probes.list[i]);
	measure_release(&o->session.request.measure);
	free(o->pids.list);
	free(o->tids.list);
	free(o->outputs);
	free(o->set);
	free(o->stap_args);
	label_filter_release(&o->where);
}
