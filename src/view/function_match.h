/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions by what a user calls them: a name, a pattern (lib/pattern.h), or "re:" and a
 * POSIX extended regular expression, which matches a part of a name. A text that is the whole name
 * of a function means this function, whatever it would match as a pattern: "operator new[]".
 * A text with "<>" also is the short name of functions, as tables on terminals show it. Names are
 * compared without the source lines that may follow them. The functions of a module are
 * found in the same way, by the file name of the module.
 */
#ifndef VIEW_FUNCTION_MATCH_H
#define VIEW_FUNCTION_MATCH_H

#include "lib/pattern.h"
#include "model/profile.h"

#include <regex.h>
#include <stdbool.h>

struct strbuf;

struct function_match {
	const char *text; /* not owned */
	enum { MATCH_NAME, MATCH_PATTERN, MATCH_REGEX } by;
	bool of_module; /* the text is about the function's module; set by the caller */
	bool is_name;   /* a function has the text as its name: nothing else matches */
	bool is_short;  /* the text has "<>": it may be a short name (symbol/names/short_name.h) */
	union {
		struct pattern pattern;
		regex_t regex;
	};
};

struct function_match_list {
	struct function_match *list;
	size_t nr, alloc;
};

/*
 * TEXT must outlive M. Returns -1 with the reason in ERR, and leaves nothing to release, if TEXT is
 * empty or the regular expression is invalid. A text that is no valid pattern is a name.
 */
int function_match_init(struct function_match *m, const char *text, struct strbuf *err);
void function_match_release(struct function_match *m);

int function_match_add(struct function_match_list *l, const char *text, struct strbuf *err);
void function_match_release_all(struct function_match_list *l);

/* Tells M the name of one of the functions to choose from. To be called before the first match. */
void function_match_learn(struct function_match *m, const char *name, size_t len);
bool function_match_name(const struct function_match *m, const char *name, size_t len);

/* Returns whether M matches the function of FRAME, which is one of P's, or its module. */
bool function_match_frame(const struct function_match *m, const struct profile *p, uint32_t frame);

/*
 * Tells M the functions of the NR profiles, and returns whether it matches one of them. If not, a
 * line in NOTES (may be NULL) says so and names similar functions.
 */
bool function_match_settle(
	struct function_match *m, struct profile *const *profiles, size_t nr, struct strbuf *notes);

#endif
