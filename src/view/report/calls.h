/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Direct callers and callees of functions. */
#ifndef VIEW_REPORT_CALLS_H
#define VIEW_REPORT_CALLS_H

#include "entries.h"
#include "view/function_match.h"

/*
 * Finds the callers or callees of all functions whose names match FN, which count as one function,
 * OF. CALLS becomes the list of these callers or callees. Its inclusive weight is the weight of the
 * stacks that contain such a call, each counted once; its self weight is 0. Frame 0, without
 * category, is the caller of root frames. P is finished and outlives CALLS, which is released by
 * entries_release. If RULES is NULL, the built-in rules are used.
 */
void calls_init_callers(struct report_entries *calls, struct report_entry *of,
	const struct profile *p, const struct function_match *fn, const struct rules *rules);
void calls_init_callees(struct report_entries *calls, struct report_entry *of,
	const struct profile *p, const struct function_match *fn, const struct rules *rules);

#endif
