/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "args.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"

#include <string.h>

enum {
	OPT_COMM = 0x1000,
	OPT_THREADS,
	OPT_TAG,
	OPT_DEMANGLE,
	OPT_ROOT
}; /* the programs' begin at 256 */

static const struct argp_option table[] = {
	{"comm", OPT_COMM, NULL, 0, "The program's name is the root frame (recordings)", 2},
	{"threads", OPT_THREADS, NULL, 0, "Name and thread are the root frame (recordings)", 2},
	{"tag", OPT_TAG, "TAG[,TAG...]", 0,
		"Only what has one of these tags, such as the states of waits (recordings)", 2},
	{"demangle", OPT_DEMANGLE, "HOW", 0,
		"C++ and Rust names: short (without arguments; default), full, none", 2},
	{"root", OPT_ROOT, "DIR", 0, "Where the recorded files are found (/)", 2},
	{0},
};

static enum demangle parse_demangle(const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[DEMANGLE_SHORT] = "short",
		[DEMANGLE_FULL] = "full",
		[DEMANGLE_NONE] = "none",
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(arg, words[i]))
			return (enum demangle)i;
	argp_error(state, "--demangle takes short, full or none, not '%s'", arg);
	return DEMANGLE_SHORT;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct view_args *args = state->input;

	switch (key) {
	case OPT_COMM:
		args->input.view.comm = true;
		break;
	case OPT_THREADS:
		args->input.view.threads = true;
		break;
	case OPT_TAG:
		args->input.view.tags = arg;
		break;
	case OPT_DEMANGLE:
		args->input.symbol.demangle = parse_demangle(arg, state);
		break;
	case OPT_ROOT:
		args->input.symbol.root = arg;
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

const struct argp view_args_argp = {
	.options = table,
	.parser = parse_option,
	.doc = "\vExit status: 0 all of the input; 1 a part of it, or no samples; 2 failed; "
	       "64 wrong usage.",
};

int view_args_read(const struct view_args *args, struct profile *p)
{
	struct strbuf notes = STRBUF_INIT;
	int result = args->nr_files ? 0 : input_read(p, "-", &args->input, &notes);

	for (size_t i = 0; i < args->nr_files && result >= 0; i++) {
		int one = input_read(p, args->files[i], &args->input, &notes);

		result = one < 0 ? one : one | result;
	}
	program_say_lines(&notes);
	strbuf_release(&notes);
	profile_finish(p);
	return result;
}

int view_args_status(const struct account *account, const char *unit, int part)
{
	struct strbuf line = STRBUF_INIT;

	if (account->known) {
		account_line(account, unit, &line);
		program_say("%s", line.buf);
	}
	strbuf_release(&line);
	if (!account->kept)
		program_say("no %s", unit);
	return part || !account->kept ? EXIT_PARTIAL : EXIT_OK;
}
