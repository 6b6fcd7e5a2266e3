/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process_args.h"
#include "arg_value.h"

#include <stdint.h>

static const struct argp_option table[] = {
	{"pid", 'p', "PID", 0, "This process", 1},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	uint32_t *pid = state->input;

	switch (key) {
	case 'p':
		*pid = (uint32_t)arg_count("--pid", arg, 1, INT32_MAX, state);
		break;
	case 'h':
		argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
		break;
	case ARGP_KEY_ARG:
		arg_error(state, "unexpected argument '%s': %s", arg,
			*pid ? "try --help" : "give the process as -p PID");
		break;
	case ARGP_KEY_SUCCESS:
		if (!*pid)
			arg_error(state, "no process: give -p PID");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp process_args_argp = {.options = table, .parser = parse_option};
