/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments of a command, NULL-terminated for execv. */
#ifndef LIB_ARGV_H
#define LIB_ARGV_H

#include <stddef.h>
#include <stdio.h>

struct argv {
	char **words; /* or NULL if there are none */
	size_t nr, alloc;
};

/* Adds WORD and takes ownership of it. */
void argv_add(struct argv *a, char *word);

/* Adds an option, which is copied, and its value, whose ownership it takes. */
void argv_pair(struct argv *a, const char *option, char *value);

/* Appends the words quoted for a shell, each after a blank. */
void argv_print(const struct argv *a, FILE *out);

void argv_release(struct argv *a);

#endif
