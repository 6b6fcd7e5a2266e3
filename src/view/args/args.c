/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "arg_value.h"
#include "input/notes.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "model/task_filter.h"
#include "symbol/names/demangle_profile.h"
#include "symbol_args.h"
#include "view/function_match.h"
#include "view/skid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) ARG_AT(struct view_args, member)

static void add_label(const struct arg_option *option, const char *arg, void *to)
{
	if (label_filter_add(to, arg) < 0)
		arg_invalid(option, arg, "KEY=VALUE[,VALUE...]");
}

static void set_time(const struct arg_option *option, const char *arg, void *to)
{
	if (!time_point_parse(arg, strlen(arg), to))
		arg_invalid(option, arg, TIME_POINT_USE);
}

static bool is_list(const char *arg)
{
	return *arg && *arg != ',' && !strstr(arg, ",,") && !ends_with(arg, ",");
}

/* Adds a list of values of the key that is the option's name. */
static void add_tasks(const struct arg_option *option, const char *arg, void *to)
{
	bool is_number = strcmp(option->name, TASK_COMM) != 0;

	if (!is_list(arg) || (is_number && arg[strspn(arg, "0123456789,")]))
		arg_invalid(option, arg, option->use);
	label_filter_add_values(to, option->name, arg);
}

static void add_states(const struct arg_option *option, const char *arg, void *to)
{
	if (!is_list(arg))
		arg_invalid(option, arg, "states, separated by commas");
	label_filter_add_values(to, RECORDING_STATE, arg);
}

void arg_function(const struct arg_option *option, const char *arg, void *to)
{
	struct strbuf use = STRBUF_INIT;

	if (function_match_add(to, arg, &use) < 0)
		arg_invalid(option, arg, use.buf);
}

static void add_module(const struct arg_option *option, const char *arg, void *to)
{
	struct function_match_list *list = to;
	struct strbuf use = STRBUF_INIT;

	if (!*arg)
		arg_invalid(option, arg, "the file name of a module, or a pattern");
	if (function_match_add(list, arg, &use) < 0)
		arg_invalid(option, arg, use.buf);
	list->list[list->nr - 1].of_module = true;
}

/* Returns the flag of VIEW for a root frame that is called by these LEN bytes, or NULL. */
static bool *root_flag(struct recording_view *view, const char *word, size_t len)
{
	const struct {
		const char *word;
		bool *flag;
	} roots[] = {
		{"comm", &view->comm}, {"thread", &view->threads}, {"process", &view->processes}};

	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		if (strlen(roots[i].word) == len && !memcmp(roots[i].word, word, len))
			return roots[i].flag;
	return NULL;
}

/* Adds a label to those at the root. Returns false if there are too many. */
static bool add_root_label(struct recording_view *view, const char *key)
{
	size_t nr = 0;

	if (!view->by) {
		view->by = key;
		return true;
	}
	while (view->by_more[nr])
		nr++;
	if (nr == BY_MORE_MAX)
		return false;
	view->by_more[nr] = key;
	return true;
}

/* The keys of labels are kept until the program ends. */
void arg_root(const struct arg_option *option, const char *arg, void *to)
{
	static const char label[] = "label:";
	static const char *const words[] = {"comm", "thread", "process", NULL};
	struct recording_view *view = to;

	for (const char *key = arg;; key++) {
		size_t len = strcspn(key, ",");
		size_t skip = begins_with(key, len, label) ? strlen(label) : 0;
		bool *flag = root_flag(view, key, len);

		if (flag)
			*flag = true;
		else if (len == skip)
			arg_invalid(option, arg, ARG_LABEL_KEY);
		else if (!add_root_label(view, xstrndup(key + skip, len - skip)))
			arg_error(
				"--by %s: at most %d labels can be crossed", arg, 1 + BY_MORE_MAX);
		key += len;
		if (!*key)
			break;
	}
	view->by_words = words;
}

static const struct arg_option view_options[] = {
	{"pid", 'p', "PID[,PID...]", "Only samples of these processes (repeatable)", 2, add_tasks,
		AT(tasks), .use = "IDs, separated by commas, or --comm NAME for a name"},
	{"tid", 0, "TID[,TID...]", "Only samples of these threads (repeatable)", 2, add_tasks,
		AT(tasks), .use = "IDs, separated by commas, or --comm NAME for a name"},
	{"comm", 0, "NAME[,NAME...]",
		"Only samples of threads with one of these names or patterns, such as 'nginx*' "
		"(repeatable)",
		2, add_tasks, AT(tasks), .use = "names, separated by commas"},
	{"from", 0, "TIME",
		"Only samples from TIME on: 2s after the begin, -1s before the end, or of the day, "
		"14:03:05 (recordings with slices; also FILE@FROM-TO)",
		2, set_time, AT(input.time.from)},
	{"to", 0, "TIME", "Only samples before TIME", 2, set_time, AT(input.time.to)},
	{"threads", 0, NULL, "Name and ID of the thread as root frame: --by thread", 2, arg_flag,
		AT(input.view.threads)},
	{"label", 0, "KEY=VALUE[,VALUE...]",
		"Only samples whose label KEY has one of these values (recordings, pprof; "
		"repeatable)",
		2, add_label, AT(labels)},
	{"tag", 0, "STATE[,STATE...]", "The same as --label state=STATE[,STATE...]", 2, add_states,
		AT(labels)},
	{"by", 0, "KEY[,KEY...]",
		"As root frame, one of " ARG_ROOT_WORDS
		"; label:KEY for a label whose key is comm, thread or process (recordings, pprof)",
		2, arg_root, AT(input.view), .once = ARG_KEYS_ONCE},
	{"min-quality", 0, "PCT",
		"Exit with 1 if a smaller share of the frames has names; default: never", 2,
		arg_percent, AT(min_quality)},
	{"output", 'o', "FILE", "Write to FILE, once it is complete, not to stdout", 2, arg_text,
		AT(output.path), .use = "the name of a file"},
	{0},
};

/* Ends the program if the name of the output file promises a format that nothing here writes. */
static void check_ending(const char *path)
{
	static const char *const endings[] = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf",
		".ps", ".xls", ".xlsx", ".ods", ".docx"};

	for (size_t i = 0; path && i < ARRAY_LEN(endings); i++)
		if (ends_with(path, endings[i]))
			arg_error("invalid --output '%s': there is no such format here; browsers "
				  "show .svg and print it, spreadsheets read .csv",
				path);
}

static void settle_view(void *input)
{
	struct view_args *args = input;

	check_ending(args->output.path);

	args->input.view.lines = args->input.symbol.lines;
	args->input.view.labels = args->labels.nr ? &args->labels : NULL;
	args->input.view.tasks = args->tasks.nr ? &args->tasks : NULL;
	if (args->output.open && args->output.path && !strcmp(args->output.path, "-"))
		arg_error("--open shows a file, not standard output");
}

static void take_files(void *input, const struct arg_words *words)
{
	struct view_args *args = input;

	args->files = words->list;
	args->nr_files = words->nr;
	args->nr_quoted = words->nr_quoted;
}

static const struct arg_part view_parts[] = {
	{&symbol_args, offsetof(struct view_args, input.symbol)}, {0}};
const struct arg_table view_args = {.options = view_options,
	.parts = view_parts,
	.settle = settle_view,
	.take_words = take_files};

static const struct arg_option title_options[] = {
	{"title", 0, "TEXT", "Heading, instead of that of the input", 2, arg_text, AT(title)},
	{0},
};
const struct arg_table title_args = {.options = title_options};

static const char *const names_words[] = {
	[NAMES_OF_STDOUT] = "auto", [NAMES_FULL] = "full", [NAMES_SHORT] = "short", NULL};

static const struct arg_option names_options[] = {
	{"names", 0, "auto|full|short",
		"In text tables, names with return types, arguments, template arguments and Java "
		"packages: full, short (without), auto (short on a terminal; default)",
		2, arg_word, AT(names), .words = names_words},
	{0},
};

static void settle_names(void *input)
{
	struct view_args *args = input;
	bool terminal = output_file_is_stdout(&args->output) && isatty(STDOUT_FILENO);

	if (args->names == NAMES_OF_STDOUT)
		args->names = terminal ? NAMES_SHORT : NAMES_FULL;
}

const struct arg_table names_args = {.options = names_options, .settle = settle_names};

static const struct arg_option open_options[] = {
	{"open", 0, NULL, "Show the file in the browser; without -o one in $TMPDIR or /tmp", 2,
		arg_flag, AT(output.open)},
	{0},
};
const struct arg_table open_args = {.options = open_options};

static const struct arg_option tree_options[] = {
	{"only", 0, "FN", "Only stacks with a function that FN matches (repeatable)", 2,
		arg_function, AT(filter.only)},
	{"module", 0, "FILE",
		"Only stacks with a function of a module that FILE matches, such as libc.so.6, "
		"'*.ko' or kernel (repeatable)",
		2, add_module, AT(filter.modules)},
	{"exclude", 0, "FN", "No stacks with a function that FN matches (repeatable)", 2,
		arg_function, AT(filter.exclude)},
	{"skip-after", 0, "FN",
		"Start stacks at the function nearest to the leaf that FN matches (repeatable)", 2,
		arg_function, AT(filter.skip_after)},
	ARG_SKID(2, struct view_args, filter.skid),
	ARG_SCHEDULER(2, struct view_args, input.view.scheduler),
	ARG_ASLEEP(2, struct view_args, input.view.asleep),
	{"reverse", 0, NULL, "Leaf at the root: callers", 2, arg_flag, AT(filter.reverse)},
	{"event", 0, "NAME",
		"Event, map, sample type or profile to show, instead of the first (recordings, "
		"perf.data, perf script, bpftrace, function_graph, pprof, speedscope)",
		2, arg_text, AT(input.event), .use = "the name of an event or of a map"},
	{"samples", 0, NULL, "Count each sample as 1, whatever its period (perf.data, perf script)",
		2, arg_flag, AT(input.samples)},
	{0},
};
const struct arg_table tree_args = {
	.options = tree_options, .parts = (const struct arg_part[]){{&view_args, 0}, {0}}};

#define FLAME_AT(member) ARG_AT(struct flame_options, member)

static const struct arg_option flame_rows[] = {
	{"subtitle", 0, "TEXT", "Second line of the heading", 1, arg_text, FLAME_AT(subtitle)},
	{"width", 0, "PX", "Width without script; in a browser the window's is used (1200)", 1,
		arg_count, FLAME_AT(width), FLAME_WIDTH_MIN, FLAME_WIDTH_MAX},
	{"inverted", 0, NULL, "Root on top (icicle)", 1, arg_flag, FLAME_AT(inverted)},
	{0},
};
const struct arg_table flame_args = {.options = flame_rows};

static int read_file(const struct view_args *args, const char *path, struct profile *p)
{
	struct strbuf notes = STRBUF_INIT;
	int result = input_read(p, path, &args->input, &notes);

	program_say_rest(&notes);
	return result;
}

static int read_files(const struct view_args *args, struct profile **profiles)
{
	int result = args->nr_files ? 0 : read_file(args, "-", profiles[0]);

	for (size_t i = 0; i < args->nr_files && result >= 0; i++) {
		int one = read_file(args, args->files[i], profiles[args->nr_before ? i : 0]);

		result = one < 0 ? one : one | result;
	}
	return result;
}

/*
 * Finds the runtime that generated code, by the files that the frames are in. Does nothing if there
 * are tasks, which may belong to several processes.
 */
static void find_runtime(struct profile *p)
{
	enum runtime runtime = RUNTIME_UNKNOWN;

	for (uint32_t i = 1; i < p->nr_frames && !p->tasks; i++) {
		enum runtime one = runtime_of(file_name(profile_module(p, i)));

		if (one && runtime && one != runtime)
			return;
		runtime = one ? one : runtime;
	}
	if (runtime)
		cuts_set_runtime(&p->cuts, runtime);
}

static void settle_filter(
	struct filter *filter, struct profile *const *profiles, size_t nr, struct strbuf *notes)
{
	for (size_t i = 0; i < filter->only.nr; i++)
		function_match_settle(&filter->only.list[i], profiles, nr, notes);
	for (size_t i = 0; i < filter->modules.nr; i++)
		function_match_settle(&filter->modules.list[i], profiles, nr, notes);
	for (size_t i = 0; i < filter->exclude.nr; i++)
		function_match_settle(&filter->exclude.list[i], profiles, nr, notes);
	for (size_t i = 0; i < filter->skip_after.nr; i++)
		function_match_settle(&filter->skip_after.list[i], profiles, nr, notes);
}

/* Returns -1 if the filter failed. */
static int finish(struct view_args *args, struct profile **profiles, size_t nr)
{
	struct strbuf notes = STRBUF_INIT;
	int result = 0;

	input_settle(profiles, nr, &args->input.view);
	demangle_profiles(profiles, nr, args->input.symbol.demangle);
	settle_filter(&args->filter, profiles, nr, &notes);
	for (size_t i = 0; i < nr; i++) {
		if (args->title) {
			profile_set(&profiles[i]->title, args->title);
			profiles[i]->titled = true;
		}
		if (filter_apply(&args->filter, profiles[i], &notes) < 0)
			result = -1;
		profile_finish(profiles[i]);
		find_runtime(profiles[i]);
		if (nr == 1)
			skid_line(profiles[i], &notes);
		if (profiles[i]->unlabelled)
			strbuf_addf(&notes, "too many labels: %" PRIu64 " %s have none\n",
				profiles[i]->unlabelled, profiles[i]->unit);
	}
	program_say_rest(&notes);
	return result;
}

static void say_lines(const char *subject, const struct strbuf *lines)
{
	for (const char *s = lines->buf; *s; s += strcspn(s, "\n"), s += *s == '\n')
		program_say("%s%.*s", subject, (int)strcspn(s, "\n"), s);
}

/* What is said of a profile or recording after it was shown. */
struct shown {
	const char *subject; /* all lines begin with it */
	const struct account *account;
	const struct timing *timing;
	const struct cuts *cuts;
	const char *unit; /* unit of the weights */
	struct account_gap gap;
};

static int judge(const struct view_args *args, const struct shown *s, bool part)
{
	const struct account *account = s->account;
	bool good = account->kept > 0;
	struct strbuf lines = STRBUF_INIT;

	if (account->known) {
		account_line(account, s->timing, s->unit, &lines);
		strbuf_addch(&lines, '\n');
	}
	account_lost_lines(account, s->unit, &lines);
	cuts_lines(s->cuts, account, &lines);
	if (account->kept == UINT64_MAX) {
		strbuf_addf(
			&lines, "the sum of the %s has reached 2^64-1, where it stops\n", s->unit);
		part = true;
	}
	if (!good)
		strbuf_addf(&lines, "no %s\n", s->unit);
	else if (account->known)
		good = account_is_named(account, args->min_quality, s->gap, &lines);
	say_lines(s->subject, &lines);
	strbuf_release(&lines);
	return part || !good ? EXIT_PARTIAL : EXIT_OK;
}

int view_args_judge_recording(
	const struct view_args *args, const struct quality *q, struct account_gap gap, bool part)
{
	return judge(
		args, &(struct shown){"", &q->account, &q->timing, &q->cuts, q->unit, gap}, part);
}

/* Appends "before: ", or "after 2: " if there are several runs, or nothing for a single profile. */
static void add_subject(const struct view_args *args, size_t at, struct strbuf *out)
{
	bool is_after = at >= args->nr_before;
	size_t nr = is_after ? args->nr_files - args->nr_before : args->nr_before;

	if (!args->nr_before)
		return;
	strbuf_adds(out, is_after ? "after" : "before");
	if (nr > 1)
		strbuf_addf(out, " %zu", at - (is_after ? args->nr_before : 0) + 1);
	strbuf_adds(out, ": ");
}

static int judge_profiles(
	const struct view_args *args, struct profile *const *profiles, size_t nr, bool part)
{
	struct strbuf subject = STRBUF_INIT;
	int status = EXIT_OK;

	for (size_t i = 0; i < nr; i++) {
		const struct profile *p = profiles[i];

		strbuf_reset(&subject);
		add_subject(args, i, &subject);

		const struct shown shown = {subject.buf, &p->account, &p->timing, &p->cuts, p->unit,
			{.module = module_least_named(p)}};
		int one = judge(args, &shown, part);

		status = one > status ? one : status;
	}
	strbuf_release(&subject);
	return status;
}

static int show(struct view_args *args, view_write *write, void *command, struct profile **profiles,
	size_t nr)
{
	int part = read_files(args, profiles);

	if (finish(args, profiles, nr) < 0 || part < 0)
		return EXIT_FAILED;
	FILE *out = output_file_begin(&args->output);
	int missing = out ? write(command, profiles, out) : -1;

	if (!out || output_file_end(&args->output, missing >= 0))
		return EXIT_FAILED;
	return judge_profiles(args, profiles, nr, part | missing);
}

void view_args_check_files(const struct view_args *args)
{
	if (!args->nr_files && isatty(STDIN_FILENO)) {
		program_say("nothing to read: give a FILE, or pipe a profile into it; try --help");
		exit(EXIT_USAGE_ERROR);
	}
	if (args->not_for_terminal && !args->output.path && !args->output.open &&
		isatty(STDOUT_FILENO)) {
		program_say("the output is not for a terminal: use %s", args->not_for_terminal);
		exit(EXIT_USAGE_ERROR);
	}
	if (output_file_check(&args->output))
		exit(EXIT_FAILED);
}

int view_args_print(struct view_args *args, const char *text)
{
	FILE *out = output_file_begin(&args->output);

	if (!out)
		return EXIT_FAILED;
	fputs(text, out);
	return output_file_end(&args->output, true) ? EXIT_FAILED : EXIT_OK;
}

int view_args_run(struct view_args *args, view_write *write, void *command)
{
	size_t nr = args->nr_before ? args->nr_files : 1;
	struct profile *profiles = xcalloc(nr, sizeof(*profiles));
	struct profile **list = xcalloc(nr, sizeof(*list));
	int status = EXIT_FAILED;

	view_args_check_files(args);
	for (size_t i = 0; i < nr; i++) {
		list[i] = &profiles[i];
		profile_init(list[i]);
	}
	if (rules_args_load(&args->rules))
		status = show(args, write, command, list, nr);
	for (size_t i = 0; i < nr; i++)
		profile_release(list[i]);
	free(list);
	free(profiles);
	rules_args_release(&args->rules);
	filter_release(&args->filter);
	label_filter_release(&args->labels);
	label_filter_release(&args->tasks);
	return status;
}
