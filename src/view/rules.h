/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules that assign functions to categories: those of users (flametap-rules(5)) and the built-in
 * ones. */
#ifndef VIEW_RULES_H
#define VIEW_RULES_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rules;
struct strbuf;

/* The built-in rules. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/* Adds the rules of a file before all others. -1 and one line in ERR, with file and line, if it
 * cannot be read or a rule is invalid: no rules are added. */
int rules_add_file(struct rules *rules, const char *path, struct strbuf *err);

/* The text of the built-in rules. */
extern const char rules_text[];

/* The number of rules; lower ones have precedence. The category of a rule, NUL-terminated. */
uint32_t rules_nr(const struct rules *rules);
const char *rules_category(const struct rules *rules, uint32_t rule);

/*
 * OWN: the first rule that matches FRAME; PASSED: the first of these with "inherit". rules_nr:
 * none.
 */
struct rules_match {
	uint32_t own, passed;
};
struct rules_match rules_match(const struct rules *rules, const struct profile *p, uint32_t frame);

/* By its kind or by its module. */
bool rules_is_kernel(const struct profile *p, uint32_t frame);

/* The name of FRAME without the source line appended to it. */
const char *rules_function(const struct profile *p, uint32_t frame, size_t *len);

/*
 * The file name of FRAME's module, without the brackets of "[nf_tables]"; for an unnamed frame
 * without module, its name without brackets. *LEN 0: unknown. Valid until a frame is added.
 */
const char *rules_module(const struct profile *p, uint32_t frame, size_t *len);

#endif
