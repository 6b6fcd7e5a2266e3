/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules_args.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/rules.h"

#include <stdlib.h>

enum { OPT_RULES = 0x3000 }; /* after the options of symbol_args.c */

static const struct argp_option table[] = {
	{"rules", OPT_RULES, "FILE", 0,
		"Rules for categories, applied before the built-in ones; repeatable, the last "
		"file first",
		3},
	{0},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct rules_args *args = state->input;

	if (key == ARGP_KEY_INIT) {
		args->used = true;
		return 0;
	}
	if (key != OPT_RULES)
		return ARGP_ERR_UNKNOWN;
	ALLOC_GROW(args->files, args->nr, args->alloc);
	args->files[args->nr++] = arg;
	return 0;
}

const struct argp rules_args_argp = {.options = table, .parser = parse_option};

bool rules_args_load(struct rules_args *args)
{
	struct strbuf err = STRBUF_INIT;
	bool good;

	if (!args->used)
		return true;
	args->rules = rules_new();
	for (size_t i = 0; i < args->nr && !err.len; i++)
		rules_add_file(args->rules, args->files[i], &err);
	program_say_lines(&err);
	good = !err.len;
	strbuf_release(&err);
	return good;
}

void rules_args_release(struct rules_args *args)
{
	if (args->rules)
		rules_free(args->rules);
	free(args->files);
	*args = (struct rules_args){0};
}
