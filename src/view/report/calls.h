/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Direct callers and callees of functions. */
#ifndef VIEW_REPORT_CALLS_H
#define VIEW_REPORT_CALLS_H

#include "functions.h"
#include "lib/pattern.h"

/*
 * All functions whose names match FN count as one, OF. CALLS becomes the list of their callers or
 * callees; inclusive is the weight of the stacks that contain such a call, each counted once, and
 * self is 0. Frame 0, without category, is the caller of root frames. P is finished and outlives
 * CALLS, which is released by functions_release. RULES NULL: the built-in ones.
 */
void calls_init_callers(struct functions *calls, struct function *of, const struct profile *p,
	const struct pattern *fn, const struct rules *rules);
void calls_init_callees(struct functions *calls, struct function *of, const struct profile *p,
	const struct pattern *fn, const struct rules *rules);

#endif
