/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option that says by which rules functions get their categories: of every program that shows
 * them. */
#ifndef VIEW_ARGS_RULES_ARGS_H
#define VIEW_ARGS_RULES_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct rules;

struct rules_args {
	bool used;    /* the program has the option */
	char **files; /* of argv */
	size_t nr, alloc;
	struct rules *rules; /* set by rules_args_load */
};

/* A child of the program's own parser, options in group 3. Its input is a struct rules_args, all 0
 * at first. */
extern const struct argp rules_args_argp;

/*
 * The built-in rules with those of the files before them, the last file's first; none where they
 * are not used. False: a file is wrong, and that was said.
 */
bool rules_args_load(struct rules_args *args);
void rules_args_release(struct rules_args *args);

#endif
