/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flame_args.h"
#include "arg_value.h"
#include "view/view.h"

#define AT(member) ARG_AT(struct flame_options, member)

static const struct arg_option options[] = {
	{"subtitle", 0, "TEXT", "Second line of the heading", 1, arg_text, AT(subtitle)},
	{"width", 0, "PX", "Width without script; in a browser the window's is used (1200)", 1,
		arg_count, AT(width), FLAME_WIDTH_MIN, FLAME_WIDTH_MAX},
	{"inverted", 0, NULL, "Root on top (icicle)", 1, arg_flag, AT(inverted)},
	{0},
};
const struct arg_table flame_args = {.options = options};
