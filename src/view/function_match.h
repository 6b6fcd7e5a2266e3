/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds functions by patterns of their names, without the source lines that may follow the names.
 */
#ifndef VIEW_FUNCTION_MATCH_H
#define VIEW_FUNCTION_MATCH_H

#include "lib/pattern.h"
#include "model/profile.h"

#include <stdbool.h>

struct strbuf;

bool function_matches(const struct profile *p, uint32_t frame, const struct pattern *fn);

/*
 * Whether FN matches a function of any of the NR profiles. If not, a line in NOTES (may be NULL)
 * says so and names similar functions.
 */
bool function_is_there(
	struct profile *const *profiles, size_t nr, const struct pattern *fn, struct strbuf *notes);

#endif
