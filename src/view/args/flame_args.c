/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame_args.h"
#include "arg_value.h"
#include "view/view.h"

enum {
	OPT_SUBTITLE = 0x5000, /* after the options of flamegraph_args.c */
	OPT_WIDTH,
	OPT_INVERTED,
};

static const struct argp_option table[] = {
	{"subtitle", OPT_SUBTITLE, "TEXT", 0, "Second line of the heading", 1},
	{"width", OPT_WIDTH, "PX", 0,
		"Width without script; in a browser the window's is used (1200)", 1},
	{"inverted", OPT_INVERTED, NULL, 0, "Root on top (icicle)", 1},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct flame_options *o = state->input;

	switch (key) {
	case OPT_SUBTITLE:
		o->subtitle = arg;
		break;
	case OPT_WIDTH:
		o->width = (unsigned)arg_count(
			"--width", arg, FLAME_WIDTH_MIN, FLAME_WIDTH_MAX, state);
		break;
	case OPT_INVERTED:
		o->inverted = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp flame_args_argp = {.options = table, .parser = parse_option};
