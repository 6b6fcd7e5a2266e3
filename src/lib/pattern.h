/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns as in a shell: "*" matches any bytes, "?" one byte, and "[a-z]", "[!a-z]" or "[^a-z]"
 * one byte of a set ("]" is literal if it comes first). "\" quotes the next byte, also in brackets.
 * A pattern matches whole names.
 */
#ifndef LIB_PATTERN_H
#define LIB_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern {
	char *s; /* owned, NUL-terminated */
	size_t len;
	size_t plain; /* bytes before the first special one, or len */
};

/*
 * Copies the LEN bytes at S. Returns -1 and leaves nothing to release if "[" is without "]", or "\"
 * is at the end.
 */
int pattern_init(struct pattern *p, const char *s, size_t len);
void pattern_release(struct pattern *p);

/* Takes time proportional to LEN times the length of the pattern at worst. */
bool pattern_matches(const struct pattern *p, const char *name, size_t len);

/* Returns true if the LEN bytes of NAME equal TEXT, or match it as a pattern. */
bool pattern_or_name_matches(const char *text, const char *name, size_t len);

#endif
