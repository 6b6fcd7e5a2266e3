/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options_table.h"
#include "engine/label_sets.h"
#include "lib/util.h"
#include "options.h"
#include "view/args/arg_value.h"
#include "view/args/args.h"
#include "view/output.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS_MAX = 1000000, SETS_MAX = 16, SPOOL_MAX = 1 << 20 };
#define SLICE_MIN 1e-3 /* seconds */

const char *const options_engines[] = {"auto", "stap", "bpf", NULL};

static void add_ids(const struct arg_option *option, const char *arg, void *to)
{
	struct id_list *ids = to;

	for (const char *text = arg;;) {
		size_t n = strcspn(text, ",");
		uint64_t id;

		if (!parse_u64(text, n, 10, &id) || !id || id > INT32_MAX)
			arg_invalid(option, arg,
				"numbers separated by commas, such as 1302,1303, or --comm NAME "
				"for a name");
		ALLOC_GROW(ids->list, ids->nr, ids->alloc);
		if (ids->nr == TARGETS_MAX)
			arg_error("'%s': more than %d targets; use -a", arg, TARGETS_MAX);
		ids->list[ids->nr++] = (uint32_t)id;
		if (!text[n])
			return;
		text += n + 1;
	}
}

static void add_probe(const struct arg_option *option, const char *arg, void *to)
{
	struct probe_list *probes = to;

	if (probes->nr == AT_MAX)
		arg_error("--%s: more than %d probe points", option->name, AT_MAX);
	if (!probe_parse(&probes->list[probes->nr], arg))
		arg_invalid(option, arg,
			"a probe point without blanks, such as kernel.function(\"vfs_read\")");
	probes->nr++;
}

static void add_events(const struct arg_option *option, const char *arg, void *to)
{
	struct probe_list *probes = to;

	for (const char *at = arg;;) {
		size_t len = strcspn(at, ",");
		char *name = xstrndup(at, len);

		if (probes->nr == AT_MAX)
			arg_error("--%s: more than %d events", option->name, AT_MAX);
		if (!probe_parse_event(&probes->list[probes->nr], name))
			arg_invalid(option, name,
				"an event of perf, such as cycles, page-faults or "
				"sched:sched_switch; --check lists what this machine counts");
		free(name);
		probes->nr++;
		if (!at[len])
			return;
		at += len + 1;
	}
}

static void set_expression(const struct arg_option *option, const char *arg, void *to)
{
	if (!measure_is_expression(arg))
		arg_invalid(option, arg, "an expression of SystemTap, such as $count");
	*(const char **)to = arg;
}

static void set_unit(const struct arg_option *option, const char *arg, void *to)
{
	if (!isalpha((unsigned char)*arg) || strlen(arg) > 31 ||
		arg[strspn(
			arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")])
		arg_invalid(option, arg, "a word such as bytes");
	*(const char **)to = arg;
}

static void set_slice(const struct arg_option *option, const char *arg, void *to)
{
	double *seconds = to;

	*seconds = 0;
	if (isdigit((unsigned char)*arg) && strcmp(arg, "0") && !arg[strspn(arg, "0123456789.")])
		arg_error("invalid --%s '%s': use a unit, as in %sms or %ss", option->name, arg,
			arg, arg); /* some users would mean ms, and others s */
	if (strcmp(arg, "0"))
		arg_duration(
			&(struct arg_option){.name = option->name, .max = SECONDS_MAX}, arg, to);
	if (*seconds && *seconds < SLICE_MIN)
		arg_invalid(option, arg, "0, or a time of at least 1ms");
}

static void set_trigger(const struct arg_option *option, const char *arg, void *to)
{
	if (!trigger_parse(to, arg))
		arg_invalid(option, arg, "cpu>PCT, cpu<PCT or file=PATH");
}

bool options_is_module(const char *path)
{
	return ends_with(file_name(path), ".ko");
}

static void add_output(const struct arg_option *option, const char *arg, void *to)
{
	struct options *o = to;

	(void)option;
	if (output_format(arg) < 0 && !options_is_module(arg))
		arg_error("invalid --output '%s': use a name that ends in one of %s", arg,
			output_endings());
	ALLOC_GROW(o->outputs, o->nr_outputs, o->outputs_alloc);
	o->outputs[o->nr_outputs++] = arg;
}

static void add_stap_arg(const struct arg_option *option, const char *arg, void *to)
{
	struct options *o = to;

	(void)option;
	ALLOC_GROW(o->stap_args, o->nr_stap_args, o->stap_args_alloc);
	o->stap_args[o->nr_stap_args++] = arg;
}

static void add_where(const struct arg_option *option, const char *arg, void *to)
{
	if (label_filter_add(to, arg) < 0)
		arg_invalid(option, arg, "KEY=PATTERN, such as uri=/api/*");
}

static void add_set(const struct arg_option *option, const char *arg, void *to)
{
	struct options *o = to;
	const char *value = strchr(arg, '=');

	if (!value || value == arg || !value[1])
		arg_invalid(option, arg, "KEY=VALUE, such as version=1.4");
	if (o->nr_set == SETS_MAX)
		arg_error("--%s: more than %d labels", option->name, SETS_MAX);
	ALLOC_GROW(o->set, o->nr_set, o->set_alloc);
	o->set[o->nr_set++] = arg;
}

static void set_engine(const struct arg_option *option, const char *arg, void *to)
{
	*(const char **)to = options_engines[arg_word_index(option, arg)];
}

bool options_is_script_name(const char *name)
{
	return *name && strlen(name) <= 31 && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz-")];
}

/* The script was found before, as its options are parsed, too. */
static void check_script_name(const struct arg_option *option, const char *arg, void *to)
{
	(void)to;
	if (!options_is_script_name(arg))
		arg_invalid(option, arg, "a name such as off-cpu");
}

static void set_selection(const struct arg_option *option, const char *arg, void *to)
{
	struct selection *s = to;
	const char *use;

	if (s->kind)
		arg_error("--%s: only one name can be given", option->name);
	*s = (struct selection){(enum selection_kind)option->choice, arg};
	use = selection_check(s);
	if (use)
		arg_invalid(option, arg, use);
}

#define AT(member) ARG_AT(struct options, member)
#define REQUEST(member) AT(session.request.member)
#define SELECTION(kind) 1, set_selection, REQUEST(selection), .choice = kind

const struct arg_option options_rows[] = {
	{.help = "What to record:", .group = 1},
	{"pid", 'p', "PID[,PID...]", "These processes", 1, add_ids, AT(pids)},
	{"tid", 0, "TID[,TID...]", "Only these threads", 1, add_ids, AT(tids)},
	{"children", 0, NULL,
		"With -p: also their child processes, those that run already and new ones; always "
		"on for a command, except with SystemTap",
		1, arg_flag, REQUEST(children)},
	{"comm", 0, "NAME",
		"Processes and threads of this name, as in ps -o comm; NAME*: that begins so",
		SELECTION(SELECT_COMM)},
	{"cgroup", 0, "PATH", "Processes in this cgroup and those below it",
		SELECTION(SELECT_CGROUP)},
	{"container", 0, "ID", "Processes in the container of this ID, or whose ID begins so",
		SELECTION(SELECT_CONTAINER)},
	{"unit", 0, "NAME",
		"Processes of this systemd unit; a name without suffix means NAME.service",
		SELECTION(SELECT_UNIT)},
	{"all", 'a', NULL,
		"All processes, the name of each thread as root frame; with a command while that "
		"runs",
		1, arg_flag, REQUEST(all)},
	{"idle", 0, NULL, "With -a: also idle processors", 1, arg_flag, REQUEST(idle)},
	{"user", 'u', NULL, "User stacks; without -u and -k both", 1, arg_flag, REQUEST(user)},
	{"kernel", 'k', NULL, "Kernel stacks of samples in kernel mode", 1, arg_flag,
		REQUEST(kernel)},
	{"mixed", 0, NULL,
		"User and interpreter frames in one stack, and the kernel part; with -u without "
		"the kernel part",
		1, arg_flag, AT(mixed)},
	{"labels", 0, "N",
		"With a source of labels such as --nginx: keep the N most frequent values of each "
		"label whose values clients choose (default 1000); the others become \"other\"",
		1, arg_count, REQUEST(label_values), 1, LABEL_VALUES_MAX},
	{"requests", 0, NULL,
		"With a source of labels such as --nginx: also count the requests: bt-report --by "
		"shows the time of each",
		1, arg_flag, REQUEST(count_ends)},
	{"time", 't', "TIME",
		"Stop after TIME, in seconds or as 500ms, 2m, 1h; default: at Ctrl-C or when the "
		"target ends",
		1, arg_duration, REQUEST(seconds), .max = SECONDS_MAX},
	{"slice", 0, "TIME",
		"Also record when: counts for slices of TIME, such as 50ms; 0 for none; default "
		"for recordings: 200 slices of at least 10 ms, without -t up to 400",
		1, set_slice, AT(slice)},
	{"last", 0, "TIME",
		"Keep only the last TIME before the end, such as 60s: what was before an incident",
		1, arg_duration, AT(last), .max = SECONDS_MAX},
	{"trigger", 0, "CONDITION",
		"End when the processes use more or less of a processor, cpu>PCT or cpu<PCT, or "
		"when a file appears, file=PATH",
		1, set_trigger, AT(session.trigger)},
	{"rate", 'F', "HZ",
		"Samples per second on each processor, at most 10000; default: 999, with SystemTap "
		"those of its timer.profile",
		1, arg_count, REQUEST(hz), 1, 10000},
	{"at", 0, "PROBE",
		"At each hit of PROBE instead of at ticks, such as "
		"kernel.trace(\"sched:sched_switch\") "
		"or process(\"FILE\").function(\"NAME\"); can be repeated",
		1, add_probe, AT(probes)},
	{"event", 'e', "EVENT[,EVENT...]",
		"At EVENT, as perf names it, instead of at ticks: cycles, cache-misses, "
		"page-faults, context-switches, sched:sched_switch; with -c COUNT or -F HZ",
		1, add_events, AT(probes)},
	{"value", 0, "EXPR",
		"With --at: add up EXPR, such as $arg3, $count or $return, instead of hits", 1,
		set_expression, REQUEST(measure.value)},
	{"latency", 0, NULL,
		"With --at: add up the time from the call of a function or system call to its "
		"return",
		1, arg_flag, REQUEST(measure.latency)},
	{"distr", 0, NULL,
		"Also record the distribution of the values or times, for bt-report --distr, which "
		"is written to stdout without -o",
		1, arg_flag, REQUEST(measure.ranges)},
	{"if", 0, "EXPR", "With --at: only hits for which EXPR holds, such as \"$arg3 > 4096\"", 1,
		set_expression, REQUEST(measure.test)},
	{"value-unit", 0, "NAME", "With --value: its unit, such as bytes", 1, set_unit,
		REQUEST(measure.unit)},
	{"count", 'c', "N", "With -e or --at perf.NAME: a hit at each Nth event", 1, arg_count,
		REQUEST(count), 1, 1000000000},
	{"script", 0, "NAME",
		"Script to run instead of on-cpu, such as off-cpu or one of your own; its options "
		"are listed by --script NAME --help",
		1, .set = check_script_name},
	{"scripts", 0, NULL, "List the scripts that --script runs, and where they are", 1, arg_flag,
		AT(scripts)},
	{.help = "What to write:", .group = 3},
	{"output", 'o', "FILE",
		"Write FILE, in the format of its ending: .rec .rec.zst .bt .folded .svg .csv "
		".json "
		".pb.gz .speedscope.json or .firefox.json; can be repeated; default: .bt on stdout",
		3, .set = add_output},
	{"every", 0, "TIME",
		"Record continuously: a recording for each window of TIME, such as 60s, into the "
		"folder of --spool",
		3, arg_duration, AT(every), .max = SECONDS_MAX},
	{"spool", 0, "DIR", "With --every: the folder of the windows", 3, arg_text, AT(spool),
		.use = "the name of a folder"},
	{"push", 0, "URL",
		"With --every: send the windows to clickhouse://HOST/DATABASE or "
		"otlp+http://HOST:4318, and delete them after the answer",
		3, arg_text, AT(push), .use = "the URL of a server"},
	{"spool-max", 0, "MIB",
		"With --every: drop the oldest windows when all take more than MIB MiB (default "
		"256)",
		3, arg_count, AT(spool_max), 1, SPOOL_MAX},
	{"spool-age", 0, "TIME",
		"With --every: drop windows that are older than TIME (default 168h)", 3,
		arg_duration, AT(spool_age), .max = 100 * SECONDS_MAX},
	{"set", 0, "KEY=VALUE",
		"With --every: label all samples, as in version=1.4 or service=cart; can be "
		"repeated",
		3, .set = add_set},
	{"title", 0, "TEXT", "Heading of pictures and reports; default: what was recorded", 3,
		arg_text, AT(title)},
	{"live", 0, NULL,
		"Show it on the terminal each second; nothing else is written without -o or "
		"--report",
		3, arg_flag, AT(live)},
	{"report", 0, "DIR", "Write recording, graphs, tables and text into a dated folder in DIR",
		3, arg_text, AT(report), .use = "the name of a folder"},
	{"threads", 0, NULL, "Name and ID of the thread as root frame", 3, arg_flag,
		AT(view.threads)},
	{"by", 0, "KEY[,KEY...]", NULL, /* it depends on the script */
		3, arg_root, AT(view), .once = ARG_KEYS_ONCE},
	{"show", 0, "EVENT", "Show this event of the tool in place of its first one, such as calls",
		3, arg_text, AT(show), .use = "the name of an event"},
	{"where", 0, "KEY=PATTERN",
		"Show only samples whose label KEY matches the PATTERN, as in uri=/api/*; can be "
		"repeated",
		3, add_where, AT(where)},
	ARG_SKID(3, struct options, skid),
	ARG_SCHEDULER(3, struct options, view.scheduler),
	ARG_ASLEEP(3, struct options, view.asleep),
	{"min-quality", 0, "PCT",
		"Exit with 1 if a smaller share of the frames has names; default: never", 3,
		arg_percent, AT(min_quality)},
	{.help = "How:", .group = 4},
	{"engine", 0, "auto|stap|bpf", "SystemTap, built in, or the first that works (default)", 4,
		set_engine, AT(engine), .words = options_engines},
	{"stap-arg", 0, "ARG", "Pass ARG to stap; can be repeated", 4, .set = add_stap_arg},
	{"stacks", 0, "N", "Table size: N different stacks of threads", 4, arg_count,
		REQUEST(stacks), 1, 1 << 20},
	{"overload", 0, "PCT",
		"stap: stop when the probes use more than PCT of a processor (default 50; 0: "
		"never)",
		4, arg_count, AT(overload), 0, 100},
	{"no-jvm", 0, NULL, "Do not ask Java processes for the names of their compiled code", 4,
		arg_flag, REQUEST(no_names)},
	{"check", 0, NULL, "Check whether recording works here, record nothing", 4, arg_flag,
		AT(check)},
	{"json", 0, NULL, "With --check: print JSON", 4, arg_flag, AT(json)},
	{"compile-only", 0, NULL,
		"Only compile the module for this recording; with -o FILE.ko write it there", 4,
		arg_flag, REQUEST(compile_only)},
	{"release", 'r', "RELEASE", "With --compile-only or --check: for this kernel", 4, arg_text,
		REQUEST(release), .use = "the release of a kernel"},
	{"module", 0, "FILE.ko", "Use a module from --compile-only, compile nothing", 4, arg_text,
		REQUEST(module), .use = "a file that --compile-only made"},
	{"dump", 'd', NULL, "Print script and stap command, run nothing", 4, arg_flag,
		AT(session.describe)},
	{"quiet", 'q', NULL, "Only errors on stderr", 4, arg_flag, AT(quiet)},
	{"verbose", 'v', NULL, "Also the engine's messages", 4, arg_flag, REQUEST(verbose)},
	{0},
};
const struct arg_elsewhere options_elsewhere[] = {
	{"--duration", "use -t TIME"},
	{"-f", "use -F HZ for the rate"},
	{"--freq", "use -F HZ for the rate"},
	{"--frequency", "use -F HZ for the rate"},
	{"-g", "stacks are always recorded; leave it out"},
	{"--call-graph", "stacks are always recorded, and unwound in the kernel; leave it out"},
	{"--per-thread", "use --tid TID for a thread, --threads for one root frame a thread"},
	{"--subprocesses", "use --children"},
	{"-U", "use -u for user stacks"},
	{"-K", "use -k for kernel stacks"},
	{"--user-stacks-only", "use -u"},
	{"--kernel-stacks-only", "use -k"},
	{"--all-cpus", "use -a"},
	{"--off-cpu", "use sample-bt-off-cpu, or --script off-cpu"},
	{"--format", "the ending of -o FILE chooses the format, such as a.svg, a.csv or a.rec"},
	{0},
};

const size_t options_nr_rows = ARRAY_LEN(options_rows);
