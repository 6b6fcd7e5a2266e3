/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns for names, as the shell has them: "*" is any bytes, "?" one byte, "[a-z]" or "[!a-z]",
 * also "[^a-z]", one of some ("]" is one of them where it comes first), "\" takes the next byte as
 * it is, in brackets, too. A pattern matches whole names.
 */
#ifndef LIB_PATTERN_H
#define LIB_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern {
	char *s; /* owned, with a NUL behind it */
	size_t len;
	size_t plain; /* bytes before the first that is special; len: none is */
};

/* Takes a copy of the LEN bytes at S. -1: a "[" without its "]", or a "\" at the end; nothing to
 * release then. */
int pattern_init(struct pattern *p, const char *s, size_t len);
void pattern_release(struct pattern *p);

/* Takes at most LEN times the length of the pattern, whatever both are. */
bool pattern_matches(const struct pattern *p, const char *name, size_t len);

#endif
