/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flamegraph_args.h"
#include "lib/strbuf.h"
#include "lib/util.h"

/* Options with a description are refused; the description is the reason. */
static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Options of flamegraph.pl that are refused:", 5},
	{"flamechart", 0x4000, NULL, 0,
		"a profile contains sums, without order in time; omit it for a flame graph", 5},
	{"nameattr", 0x4001, "FILE", 0, "attributes could run scripts; omit it", 5},
	{"negate", 0x4002, NULL, 0, "use bt-diff, which draws differences", 5},
	{NULL, 0, NULL, 0, "Options of flamegraph.pl that are ignored:", 6},
	{"height", 0x4003, "PX", 0, NULL, 6},
	{"fonttype", 0x4004, "FONT", 0, NULL, 6},
	{"fontsize", 0x4005, "PX", 0, NULL, 6},
	{"fontwidth", 0x4006, "RATIO", 0, NULL, 6},
	{"bgcolors", 0x4007, "COLOUR", 0, NULL, 6},
	{"colors", 0x4008, "PALETTE", 0, NULL, 6},
	{"hash", 0x4009, NULL, 0, NULL, 6},
	{"random", 0x400a, NULL, 0, NULL, 6},
	{"cp", 0x400b, NULL, 0, NULL, 6},
	{"encoding", 0x400c, "NAME", 0, NULL, 6},
	{"nametype", 0x400d, "TEXT", 0, NULL, 6},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct strbuf *accepted = state->input;

	(void)arg;
	for (size_t i = 0; i + 1 < ARRAY_LEN(table); i++) {
		if (!table[i].name || table[i].key != key)
			continue;
		if (table[i].doc)
			argp_failure(state, EXIT_USAGE_ERROR, 0, "--%s is refused: %s",
				table[i].name, table[i].doc);
		strbuf_addf(accepted, "%s--%s", accepted->len ? ", " : "", table[i].name);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp flamegraph_args_argp = {.options = table, .parser = parse_option};
