/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grid_args.h"
#include "arg_value.h"
#include "view/grid.h"

enum { OPT_CSV = 0x700, OPT_JSON };

static const struct argp_option table[] = {
	{"csv", OPT_CSV, NULL, 0, "Write CSV", 1},
	{"json", OPT_JSON, NULL, 0, "Write JSON", 1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	enum grid_format *format = state->input;
	enum grid_format given = key == OPT_CSV ? GRID_CSV : GRID_JSON;

	(void)arg;
	if (key != OPT_CSV && key != OPT_JSON)
		return ARGP_ERR_UNKNOWN;
	if (*format != GRID_TEXT && *format != given)
		arg_error(state, "give only one of --csv and --json");
	*format = given;
	return 0;
}

const struct argp grid_args_argp = {.options = table, .parser = parse_option};
