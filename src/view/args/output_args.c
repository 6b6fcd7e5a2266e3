/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output_args.h"
#include "arg_value.h"
#include "view/output_file.h"

#include <string.h>

enum { OPT_OPEN = 0x6000 }; /* after the options of flame_args.c */

static const struct argp_option table[] = {
	{"output", 'o', "FILE", 0, "Write to FILE, once it is complete, not to stdout", 2},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct output_file *f = state->input;

	switch (key) {
	case 'o':
		f->path = arg_text("--output", arg, "the name of a file", state);
		break;
	case ARGP_KEY_SUCCESS:
		if (f->open && f->path && !strcmp(f->path, "-"))
			arg_error(state, "--open shows a file, not standard output");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp output_args_argp = {.options = table, .parser = parse_option};

static const struct argp_option open_table[] = {
	{"open", OPT_OPEN, NULL, 0,
		"Show the file in the browser; without -o one in $TMPDIR or /tmp", 2},
	{0},
};

static error_t parse_open(int key, char *arg, struct argp_state *state)
{
	struct output_file *f = state->input;

	(void)arg;
	if (key != OPT_OPEN)
		return ARGP_ERR_UNKNOWN;
	f->open = true;
	return 0;
}

const struct argp open_args_argp = {.options = open_table, .parser = parse_open};
