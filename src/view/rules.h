/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules that assign functions to categories: rules of users (flametap-rules(5)) and built-in rules.
 */
#ifndef VIEW_RULES_H
#define VIEW_RULES_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rules;
struct strbuf;

/* Returns the built-in rules. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/*
 * Adds the rules of a file before all other rules. If it cannot be read or a rule is invalid, adds
 * no rules, returns -1 and appends one line with file and line to ERR.
 */
int rules_add_file(struct rules *rules, const char *path, struct strbuf *err);

/* The text of the built-in rules. */
extern const char rules_text[];

/*
 * Return the number of rules, of which lower ones have precedence, and the category of a rule,
 * NUL-terminated.
 */
uint32_t rules_nr(const struct rules *rules);
const char *rules_category(const struct rules *rules, uint32_t rule);

/*
 * own is the first rule that matches FRAME, passed the first of the matching rules with "inherit".
 * They are rules_nr if there is none.
 */
struct rules_match {
	uint32_t own, passed;
};
struct rules_match rules_match(const struct rules *rules, const struct profile *p, uint32_t frame);

/* Whether a frame belongs to the kernel, by its kind or by its module. */
bool rules_is_kernel(const struct profile *p, uint32_t frame);

/* Returns the name of FRAME without the source line appended to it. */
const char *rules_function(const struct profile *p, uint32_t frame, size_t *len);

/*
 * Returns the file name of FRAME's module, without the brackets of "[nf_tables]", or, for an
 * unnamed frame without module, its name without brackets. *LEN is 0 if it is unknown. The result
 * is valid until a frame is added.
 */
const char *rules_module(const struct profile *p, uint32_t frame, size_t *len);

#endif
