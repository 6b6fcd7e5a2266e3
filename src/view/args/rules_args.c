/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules_args.h"
#include "lib/program.h"
#include "lib/strbuf.h"
#include "lib/util.h"
#include "view/rules.h"

#include <stdlib.h>

static void add_file(const struct arg_option *option, const char *arg, void *to)
{
	struct rules_args *args = to;

	(void)option;
	ALLOC_GROW(args->files, args->nr, args->alloc);
	args->files[args->nr++] = arg;
}

static const struct arg_option options[] = {
	{"rules", 0, "FILE",
		"Rules for categories, applied before the built-in ones; repeatable, the last "
		"file first",
		3, .set = add_file},
	{0},
};

static void settle(void *input)
{
	((struct rules_args *)input)->used = true;
}

const struct arg_table rules_args = {.options = options, .settle = settle};

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
