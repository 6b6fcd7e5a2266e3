/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol_args.h"
#include "arg_value.h"
#include "lib/util.h"

enum {
	OPT_INLINES = 0x2000, /* after the options of view/args.c */
	OPT_LINES,
	OPT_DEMANGLE,
	OPT_ROOT,
	OPT_DEBUG_PATH,
	OPT_DEBUGINFOD,
	OPT_DEBUGINFOD_MIN,
};

static const struct argp_option table[] = {
	{NULL, 0, NULL, 0, "Names:", 4},
	{"inlines", OPT_INLINES, NULL, 0, "Show inlined calls as frames", 4},
	{"lines", OPT_LINES, NULL, 0, "Show source file and line of functions", 4},
	{"demangle", OPT_DEMANGLE, "short|full|none", 0,
		"C++ and Rust names: short (without arguments, unless functions differ only in "
		"these; default), full, none",
		4},
	{"root", OPT_ROOT, "DIR", 0, "Root directory of the recorded files (/)", 4},
	{"debug-path", OPT_DEBUG_PATH, "DIR[:DIR...]", 0,
		"Directories with debug files (/usr/lib/debug)", 4},
	{"debuginfod", OPT_DEBUGINFOD, "auto|always|never", 0,
		"Download debug files from $DEBUGINFOD_URLS: auto (of files with enough weight; "
		"default), always, never",
		4},
	{"debuginfod-min", OPT_DEBUGINFOD_MIN, "PCT", 0,
		"Minimum share of the weight for --debuginfod=auto, in per cent (0.5)", 4},
	{0},
};

static enum demangle parse_demangle(const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[DEMANGLE_SHORT] = "short",
		[DEMANGLE_FULL] = "full",
		[DEMANGLE_NONE] = "none",
	};

	return (enum demangle)arg_word("--demangle", arg, words, ARRAY_LEN(words), state);
}

static enum debuginfod_use parse_debuginfod(const char *arg, struct argp_state *state)
{
	static const char *const words[] = {
		[DEBUGINFOD_AUTO] = "auto",
		[DEBUGINFOD_ALWAYS] = "always",
		[DEBUGINFOD_NEVER] = "never",
	};

	return (enum debuginfod_use)arg_word("--debuginfod", arg, words, ARRAY_LEN(words), state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct symbol_options *o = state->input;

	switch (key) {
	case OPT_INLINES:
		o->inlines = true;
		break;
	case OPT_LINES:
		o->lines = true;
		break;
	case OPT_DEMANGLE:
		o->demangle = parse_demangle(arg, state);
		o->has_demangle = true;
		break;
	case OPT_ROOT:
		o->root = arg;
		break;
	case OPT_DEBUG_PATH:
		o->debug_path = arg;
		break;
	case OPT_DEBUGINFOD:
		o->debuginfod = parse_debuginfod(arg, state);
		break;
	case OPT_DEBUGINFOD_MIN:
		o->debuginfod_min = arg_percent("--debuginfod-min", arg, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp symbol_args_argp = {.options = table, .parser = parse_option};
