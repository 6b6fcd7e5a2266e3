/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a function is called for: rules that users write (flametap-rules(5)), and those that are
 * built in. */
#ifndef VIEW_RULES_H
#define VIEW_RULES_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rules;
struct strbuf;

/* The built-in rules alone; rules_add_file puts those of a file before all that are there. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/* -1 and one line in ERR, with file and line, when it cannot be read or a rule is wrong: nothing is
 * added then. */
int rules_add_file(struct rules *rules, const char *path, struct strbuf *err);

/* The text of the built-in rules. */
extern const char rules_text[];

/* The number of rules; a lower one wins. The category of one, NUL-terminated. */
uint32_t rules_nr(const struct rules *rules);
const char *rules_category(const struct rules *rules, uint32_t rule);

/*
 * OWN: the first rule that matches FRAME; PASSED: the first that does and holds for its callees as
 * well. rules_nr: none.
 */
struct rules_match {
	uint32_t own, passed;
};
struct rules_match rules_match(const struct rules *rules, const struct profile *p, uint32_t frame);

/* By its kind or by its module. */
bool rules_is_kernel(const struct profile *p, uint32_t frame);

/* The name of FRAME without the "file.c:12" that was put behind it. */
const char *rules_function(const struct profile *p, uint32_t frame, size_t *len);

/*
 * The last part of the path of FRAME's module, without the brackets of "[nf_tables]"; of an unnamed
 * frame whose module is not known, what it is called after. *LEN 0: not known. Valid until a frame
 * is added.
 */
const char *rules_module(const struct profile *p, uint32_t frame, size_t *len);

#endif
