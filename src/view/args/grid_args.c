/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grid_args.h"
#include "arg_value.h"
#include "lib/format/grid.h"

#define CHOICE(format) arg_choice, 0, 0, .use = "--csv and --json", .choice = format

static const struct arg_option options[] = {
	{"csv", 0, NULL, "Write CSV", 1, CHOICE(GRID_CSV)},
	{"json", 0, NULL, "Write JSON", 1, CHOICE(GRID_JSON)},
	{0},
};
const struct arg_table grid_args = {.options = options};
