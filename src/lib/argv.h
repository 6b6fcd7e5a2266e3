/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of a command, ended by NULL as execv wants them. */
#ifndef LIB_ARGV_H
#define LIB_ARGV_H

#include <stddef.h>
#include <stdio.h>

struct argv {
	char **words; /* NULL: no word yet */
	size_t nr, alloc;
};

/* Adds WORD, which is the vector's from now on. */
void argv_add(struct argv *a, char *word);

/* Adds an option and its value; only the latter is taken over. */
void argv_pair(struct argv *a, const char *option, char *value);

/* The words as a shell would want them, each with a blank before it. */
void argv_print(const struct argv *a, FILE *out);

void argv_release(struct argv *a);

#endif
