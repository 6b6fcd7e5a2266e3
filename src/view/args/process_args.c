/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process_args.h"
#include "arg_value.h"
#include "lib/format/grid.h"

static const struct arg_option options[] = {
	{"pid", 'p', "PID", "This process", 1, arg_count, .size = sizeof(uint32_t), 1, INT32_MAX},
	{0},
};

static void refuse_words(void *pid, const struct arg_words *words)
{
	arg_error("unexpected argument '%s': %s", words->list[0],
		*(uint32_t *)pid ? "try --help" : "give the process as -p PID");
}

static void settle(void *pid)
{
	if (!*(uint32_t *)pid)
		arg_error("no process: give -p PID");
}

const struct arg_table process_args = {
	.options = options, .take_words = refuse_words, .settle = settle};

#define FORMAT(which) arg_choice, .use = "--csv, --json and --text", .choice = which

static const struct arg_option grid_options[] = {
	{"csv", 0, NULL, "Write CSV (default, except on a terminal)", 1, FORMAT(GRID_CSV)},
	{"json", 0, NULL, "Write JSON", 1, FORMAT(GRID_JSON)},
	{"text", 0, NULL, "Write text (default on a terminal)", 1, FORMAT(GRID_TEXT)},
	{0},
};

static void settle_format(void *format)
{
	*(enum grid_format *)format = grid_format_settled(*(enum grid_format *)format);
}

const struct arg_table grid_args = {.options = grid_options, .settle = settle_format};
