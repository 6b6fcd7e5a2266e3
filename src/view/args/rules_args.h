/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option --rules, shared by all programs that show categories. */
#ifndef VIEW_ARGS_RULES_ARGS_H
#define VIEW_ARGS_RULES_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct rules;

struct rules_args {
	bool used;    /* the program has the option */
	char **files; /* from argv */
	size_t nr, alloc;
	struct rules *rules; /* set by rules_args_load */
};

/*
 * A child of the program's own parser, with options in group 3. Its input is a struct rules_args,
 * initially all 0.
 */
extern const struct argp rules_args_argp;

/*
 * Loads the built-in rules and the rules of the files, which are applied before the built-in ones,
 * the last file first. Does nothing if the program has no such option. Returns false and prints a
 * message if a file is invalid.
 */
bool rules_args_load(struct rules_args *args);
void rules_args_release(struct rules_args *args);

#endif
