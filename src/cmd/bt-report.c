/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/view.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <argp.h>
#include <string.h>

typedef int report(const struct profile *p, FILE *out, struct strbuf *err);

struct options {
	report *report; /* NULL: the top table */
	unsigned top;
	struct input_options input;
	char **files;
	size_t nr_files;
};

enum { OPT_SUMMARY = 256, OPT_TOP, OPT_JSON, OPT_COMM, OPT_THREADS, OPT_DEMANGLE, OPT_ROOT };

static const struct argp_option table[] = {
	{"summary", OPT_SUMMARY, NULL, 0, "Categories instead of functions, as CSV", 1},
	{"top", OPT_TOP, "N", 0, "The N functions with most self weight, as a table of text", 1},
	{"json", OPT_JSON, NULL, 0, "Total, unit, account and functions, as JSON", 1},
	{"comm", OPT_COMM, NULL, 0, "The program's name is the root frame (recordings)", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and thread are the root frame (recordings)", 2},
	{"demangle", OPT_DEMANGLE, "HOW", 0,
		"C++ and Rust names: short (without arguments; default), full, none", 2},
	{"root", OPT_ROOT, "DIR", 0, "Where the recorded files are found (/)", 2},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	uint64_t n;

	switch (key) {
	case OPT_SUMMARY:
		o->report = view_report_summary;
		break;
	case OPT_TOP:
		if (!parse_u64(arg, strlen(arg), 10, &n) || !n || n > UINT32_MAX)
			argp_error(state, "--top takes a number from 1, not '%s'", arg);
		o->report = NULL;
		o->top = (unsigned)n;
		break;
	case OPT_JSON:
		o->report = view_report_json;
		break;
	case OPT_COMM:
		o->input.view.comm = true;
		break;
	case OPT_THREADS:
		o->input.view.threads = true;
		break;
	case OPT_DEMANGLE:
		if (!strcmp(arg, "short"))
			o->input.symbol.demangle = DEMANGLE_SHORT;
		else if (!strcmp(arg, "full"))
			o->input.symbol.demangle = DEMANGLE_FULL;
		else if (!strcmp(arg, "none"))
			o->input.symbol.demangle = DEMANGLE_NONE;
		else
			argp_error(state, "--demangle takes short, full or none, not '%s'", arg);
		break;
	case OPT_ROOT:
		o->input.symbol.root = arg;
		break;
	case ARGP_KEY_ARGS:
		o->files = state->argv + state->next;
		o->nr_files = (size_t)(state->argc - state->next);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	table,
	parse_option,
	"[FILE…]",
	"Reports which functions the weight of profiles (recordings, folded stacks, backtraces of "
	"stap "
	"scripts; default: stdin) lies in, on stdout: as profile.csv, heaviest first, or in "
	"another form.\v"
	"Exit status: 0 all of it; 1 a part of it, or no samples; 2 failed; 64 wrong usage.",
	NULL,
	NULL,
	NULL,
};

/* As input_read for all files together. */
static int read_files(const struct options *o, struct profile *p)
{
	size_t nr = o->nr_files ? o->nr_files : 1;
	struct strbuf err = STRBUF_INIT;
	int result = 0;

	for (size_t i = 0; i < nr && result >= 0; i++) {
		const char *path = o->nr_files ? o->files[i] : "-";
		int one = input_read(p, path, &o->input, &err);

		result = one < 0 ? one : one | result;
	}
	program_say_lines(&err);
	strbuf_release(&err);
	profile_finish(p);
	return result;
}

static void say_account(const struct profile *p)
{
	struct strbuf line = STRBUF_INIT;

	if (p->account.known) {
		account_line(&p->account, p->unit, &line);
		program_say("%s", line.buf);
	}
	strbuf_release(&line);
}

static int make_report(const struct options *o)
{
	struct profile p;
	int status = EXIT_FAILED;
	int part;

	profile_init(&p);
	part = read_files(o, &p);
	if (part < 0)
		goto out;
	if (o->report)
		o->report(&p, stdout, NULL);
	else
		view_report_top(&p, o->top, stdout, NULL);
	if (program_close(stdout, "stdout") < 0)
		goto out;
	say_account(&p);
	if (!p.nodes[0].total)
		program_say("no %s", p.unit);
	status = part || !p.nodes[0].total ? EXIT_PARTIAL : EXIT_OK;
out:
	profile_release(&p);
	return status;
}

int main(int argc, char **argv)
{
	struct options o = {.report = view_report_csv, .input.view.event = -1};

	program_init();
	argp_parse(&argp, argc, argv, 0, NULL, &o);
	return make_report(&o);
}
