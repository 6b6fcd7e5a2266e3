/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "arg_value.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "output_args.h"
#include "symbol/names/demangle_profile.h"
#include "symbol_args.h"
#include "view/function_match.h"
#include "view/report/functions.h"
#include "view/skid.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	OPT_COMM = 0x1000,
	OPT_THREADS,
	OPT_LABEL,
	OPT_TAG,
	OPT_BY,
	OPT_EVENT,
	OPT_SAMPLES,
	OPT_ONLY,
	OPT_SKIP_AFTER,
	OPT_SKID,
	OPT_REVERSE,
	OPT_MIN_QUALITY,
	OPT_TITLE,
}; /* options of the programs begin at 256 */

static const struct argp_option table[] = {
	{"comm", OPT_COMM, NULL, 0, "Name of the thread as root frame, where known", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and ID of the thread as root frame", 2},
	{"tid", OPT_THREADS, NULL, OPTION_ALIAS, NULL, 2},
	{"label", OPT_LABEL, "KEY=VALUE[,VALUE...]", 0,
		"Only samples whose label KEY has one of these values (recordings, pprof; "
		"repeatable)",
		2},
	{"tag", OPT_TAG, "STATE[,STATE...]", 0, "The same as --label state=STATE[,STATE...]", 2},
	{"by", OPT_BY, "KEY", 0, "Value of the label KEY as root frame (recordings, pprof)", 2},
	{"min-quality", OPT_MIN_QUALITY, "PCT", 0,
		"Exit with 1 if a smaller share of the frames has names; default: never", 2},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 2},
	{0},
};

static void check_states(const char *list, struct argp_state *state)
{
	if (!*list || *list == ',' || strstr(list, ",,") || ends_with(list, ","))
		arg_invalid("--tag", list, "states, separated by commas", state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct view_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->input.symbol;
		state->child_inputs[1] = &args->output;
		break;
	case ARGP_KEY_SUCCESS:
		args->input.view.lines = args->input.symbol.lines;
		args->input.view.labels = args->labels.nr ? &args->labels : NULL;
		break;
	case OPT_COMM:
		args->input.view.comm = true;
		break;
	case OPT_THREADS:
		args->input.view.threads = true;
		break;
	case OPT_LABEL:
		if (label_filter_add(&args->labels, arg) < 0)
			arg_invalid("--label", arg, "KEY=VALUE[,VALUE...]", state);
		break;
	case OPT_TAG:
		check_states(arg, state);
		label_filter_add_values(&args->labels, RECORDING_STATE, arg);
		break;
	case OPT_BY:
		args->input.view.by = arg_text("--by", arg, "the key of a label", state);
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case OPT_MIN_QUALITY:
		args->min_quality = arg_percent("--min-quality", arg, state);
		break;
	case ARGP_KEY_ARGS:
		args->files = state->argv + state->next;
		args->nr_files = (size_t)(state->argc - state->next);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static char *filter_help(int key, const char *text, void *input)
{
	const struct view_args *args = input;

	/* argp frees a result other than TEXT */
	return key == OPT_BY && args && args->by_help ? xstrdup(args->by_help) : (char *)text;
}

const struct argp view_args_argp = {
	.options = table,
	.parser = parse_option,
	.help_filter = filter_help,
	.children = (const struct argp_child[]){{.argp = &symbol_args_argp},
		{.argp = &output_args_argp}, {0}},
	.doc = "\vExit status: 0 all of the input; 1 a part of it, no samples, or fewer names "
	       "than --min-quality; 2 failed; 64 wrong usage.",
};

static const struct argp_option title_table[] = {
	{"title", OPT_TITLE, "TEXT", 0, "Heading, instead of that of the input", 2},
	{0},
};

static error_t parse_title(int key, char *arg, struct argp_state *state)
{
	struct view_args *args = state->input;

	if (key != OPT_TITLE)
		return ARGP_ERR_UNKNOWN;
	args->title = arg;
	return 0;
}

const struct argp title_args_argp = {.options = title_table, .parser = parse_title};

static const struct argp_option tree_table[] = {
	{"only", OPT_ONLY, "FN", 0,
		"Only stacks with a function that matches the pattern FN (repeatable)", 2},
	{"skip-after", OPT_SKIP_AFTER, "FN", 0,
		"Start stacks at the function nearest to the leaf that matches FN (repeatable)", 2},
	{"skid", OPT_SKID, ARG_SKID, 0, ARG_SKID_HELP, 2},
	{"reverse", OPT_REVERSE, NULL, 0, "Leaf at the root: callers", 2},
	{"event", OPT_EVENT, "NAME", 0,
		"Event, map, sample type or profile to show, instead of the first (recordings, "
		"perf script, bpftrace, pprof, speedscope)",
		2},
	{"samples", OPT_SAMPLES, NULL, 0,
		"Count each sample as 1, whatever its period (perf script)", 2},
	{0},
};

static error_t parse_tree_option(int key, char *arg, struct argp_state *state)
{
	struct view_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = args;
		break;
	case OPT_ONLY:
		if (!*arg || filter_add_only(&args->filter, arg) < 0)
			arg_invalid("--only", arg, ARG_PATTERN, state);
		break;
	case OPT_SKIP_AFTER:
		if (!*arg || filter_add_skip_after(&args->filter, arg) < 0)
			arg_invalid("--skip-after", arg, ARG_PATTERN, state);
		break;
	case OPT_SKID:
		args->filter.skid = arg_skid(arg, state);
		break;
	case OPT_REVERSE:
		args->filter.reverse = true;
		break;
	case OPT_EVENT:
		args->input.event =
			arg_text("--event", arg, "the name of an event or of a map", state);
		break;
	case OPT_SAMPLES:
		args->input.samples = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp tree_args_argp = {
	.options = tree_table,
	.parser = parse_tree_option,
	.children = (const struct argp_child[]){{.argp = &view_args_argp}, {0}},
};

static int read_file(const struct view_args *args, const char *path, struct profile *p)
{
	struct strbuf notes = STRBUF_INIT;
	int result = input_read(p, path, &args->input, &notes);

	program_say_lines(&notes);
	strbuf_release(&notes);
	return result;
}

static int read_files(const struct view_args *args, struct profile **profiles)
{
	int result = args->nr_files ? 0 : read_file(args, "-", profiles[0]);

	for (size_t i = 0; i < args->nr_files && result >= 0; i++) {
		int one = read_file(args, args->files[i], profiles[args->compares ? i : 0]);

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

static void note_missing(const struct filter *filter, struct profile *const *profiles, size_t nr,
	struct strbuf *notes)
{
	for (size_t i = 0; i < filter->nr_only; i++)
		function_is_there(profiles, nr, &filter->only[i], notes);
	for (size_t i = 0; i < filter->nr_skip_after; i++)
		function_is_there(profiles, nr, &filter->skip_after[i], notes);
}

/* Returns -1 if the filter failed. */
static int finish(const struct view_args *args, struct profile **profiles, size_t nr)
{
	struct strbuf notes = STRBUF_INIT;
	int result = 0;

	input_settle(profiles, nr, &args->input.view);
	demangle_profiles(profiles, nr, args->input.symbol.demangle);
	note_missing(&args->filter, profiles, nr, &notes);
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
	program_say_lines(&notes);
	strbuf_release(&notes);
	return result;
}

static void say_lines(const char *subject, const struct strbuf *lines)
{
	for (const char *s = lines->buf; *s; s += strcspn(s, "\n"), s += *s == '\n')
		program_say("%s%.*s", subject, (int)strcspn(s, "\n"), s);
}

int view_args_judge(
	const struct view_args *args, const char *subject, const struct view_quality *quality)
{
	const struct account *account = quality->account;
	bool good = account->kept > 0, part = quality->part;
	struct strbuf lines = STRBUF_INIT;

	if (account->known) {
		account_line(account, quality->timing, quality->unit, &lines);
		strbuf_addch(&lines, '\n');
	}
	account_lost_lines(account, quality->unit, &lines);
	cuts_lines(quality->cuts, account, &lines);
	if (account->kept == UINT64_MAX) {
		strbuf_addf(&lines, "the sum of the %s has reached 2^64-1, where it stops\n",
			quality->unit);
		part = true;
	}
	if (!good)
		strbuf_addf(&lines, "no %s\n", quality->unit);
	else if (account->known)
		good = account_is_named(account, args->min_quality, quality->worst, &lines);
	say_lines(subject, &lines);
	strbuf_release(&lines);
	return part || !good ? EXIT_PARTIAL : EXIT_OK;
}

static int judge(
	const struct view_args *args, struct profile *const *profiles, size_t nr, bool part)
{
	static const char *const subjects[] = {"before: ", "after: "};
	int status = EXIT_OK;

	for (size_t i = 0; i < nr; i++) {
		const struct profile *p = profiles[i];
		const struct view_quality quality = {
			.account = &p->account,
			.timing = &p->timing,
			.cuts = &p->cuts,
			.unit = p->unit,
			.worst = functions_least_named(p),
			.part = part,
		};
		int one = view_args_judge(args, args->compares ? subjects[i] : "", &quality);

		status = one > status ? one : status;
	}
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
	return judge(args, profiles, nr, part | missing);
}

void view_args_check_files(const struct view_args *args)
{
	if (!args->nr_files && isatty(STDIN_FILENO)) {
		program_say("nothing to read: give a FILE, or pipe a profile into it; try --help");
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
	struct profile profiles[2], *list[] = {&profiles[0], &profiles[1]};
	size_t nr = args->compares ? 2 : 1;
	int status = EXIT_FAILED;

	view_args_check_files(args);
	for (size_t i = 0; i < nr; i++)
		profile_init(list[i]);
	if (rules_args_load(&args->rules))
		status = show(args, write, command, list, nr);
	for (size_t i = 0; i < nr; i++)
		profile_release(list[i]);
	rules_args_release(&args->rules);
	filter_release(&args->filter);
	label_filter_release(&args->labels);
	return status;
}
