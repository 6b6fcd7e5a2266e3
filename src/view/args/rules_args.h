/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option --rules, shared by all programs that show categories. */
#ifndef VIEW_ARGS_RULES_ARGS_H
#define VIEW_ARGS_RULES_ARGS_H

#include "arg_parse.h"

struct rules;

struct rules_args {
	bool used;          /* the program has the option */
	const char **files; /* from argv */
	size_t nr, alloc;
	struct rules *rules; /* set by rules_args_load */
};

/* An option in group 3. The input is a struct rules_args, initially all 0. */
extern const struct arg_table rules_args;

/*
 * Loads the built-in rules and the rules of the files, which are applied before the built-in ones,
 * the last file first. Does nothing if the program has no such option. Returns false and prints a
 * message if a file is invalid.
 */
bool rules_args_load(struct rules_args *args);
void rules_args_release(struct rules_args *args);

#endif
