/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol_args.h"
#include "arg_value.h"

#define AT(member) ARG_AT(struct symbol_options, member)

static const char *const demangle_words[] = {[DEMANGLE_SHORT] = "short",
	[DEMANGLE_FULL] = "full",
	[DEMANGLE_NONE] = "none",
	[DEMANGLE_NONE + 1] = NULL};

static const char *const debuginfod_words[] = {[DEBUGINFOD_AUTO] = "auto",
	[DEBUGINFOD_ALWAYS] = "always",
	[DEBUGINFOD_NEVER] = "never",
	[DEBUGINFOD_NEVER + 1] = NULL};

static void set_demangle(const struct arg_option *option, const char *arg, void *to)
{
	struct symbol_options *o = to;

	o->demangle = (enum demangle)arg_word_index(option, arg);
	o->has_demangle = true;
}

static const struct arg_option options[] = {
	{.help = "Names:", .group = 5},
	{"inlines", 0, NULL, "Show inlined calls as frames", 5, arg_flag, AT(inlines)},
	{"lines", 0, NULL, "Show source file and line of functions", 5, arg_flag, AT(lines)},
	{"demangle", 0, "short|full|none",
		"C++ and Rust names: short (without arguments, unless functions differ only in "
		"these; default), full, none",
		5, set_demangle, .words = demangle_words},
	{"root", 0, "DIR", "Root directory of the recorded files (/)", 5, arg_text, AT(root)},
	{"debug-path", 0, "DIR[:DIR...]", "Directories with debug files (/usr/lib/debug)", 5,
		arg_text, AT(debug_path)},
	{"debuginfod", 0, "auto|always|never",
		"Download debug files from $DEBUGINFOD_URLS: auto (of files with enough weight; "
		"default), always, never",
		5, arg_word, AT(debuginfod), .words = debuginfod_words},
	{"debuginfod-min", 0, "PCT",
		"Minimum share of the weight for --debuginfod=auto, in per cent (0.5)", 5,
		arg_percent, AT(debuginfod_min)},
	{0},
};
const struct arg_table symbol_args = {.options = options};
