/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/args.h"
#include "lib/program.h"
#include "lib/util.h"

#include <string.h>

typedef int report(const struct profile *p, FILE *out, struct strbuf *err);

struct options {
	struct view_args args;
	report *report; /* NULL: the top table */
	unsigned top;
};

enum { OPT_SUMMARY = 256, OPT_TOP, OPT_JSON };

static const struct argp_option table[] = {
	{"summary", OPT_SUMMARY, NULL, 0, "Categories instead of functions, as CSV", 1},
	{"top", OPT_TOP, "N", 0, "The N functions with most self weight, as a table of text", 1},
	{"json", OPT_JSON, NULL, 0, "Total, unit, account and functions, as JSON", 1},
	{0},
};

static unsigned parse_top(const char *arg, struct argp_state *state)
{
	uint64_t n;

	if (!parse_u64(arg, strlen(arg), 10, &n) || !n || n > UINT32_MAX)
		argp_error(state, "--top takes a number from 1, not '%s'", arg);
	return (unsigned)n;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->args;
		break;
	case OPT_SUMMARY:
		o->report = view_report_summary;
		break;
	case OPT_TOP:
		o->report = NULL;
		o->top = parse_top(arg, state);
		break;
	case OPT_JSON:
		o->report = view_report_json;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	.options = table,
	.parser = parse_option,
	.args_doc = "[FILE...]",
	.doc = "Reports which functions the weight of profiles (recordings, folded stacks, "
	       "backtraces of "
	       "stap scripts; default: stdin) lies in, on stdout: as profile.csv, heaviest first, "
	       "or in "
	       "another form.",
	.children = (const struct argp_child[]){{.argp = &tree_args_argp}, {0}},
};

static int make_report(struct options *o)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = view_args_read(&o->args, &p);
	if (part < 0)
		goto out;
	if (o->report)
		o->report(&p, stdout, NULL);
	else
		view_report_top(&p, o->top, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	status = view_args_status(&o->args, &p, part);
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.args = VIEW_ARGS_INIT, .report = view_report_csv};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return make_report(&o);
}
