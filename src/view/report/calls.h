/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who calls some functions directly, and what they call. */
#ifndef VIEW_REPORT_CALLS_H
#define VIEW_REPORT_CALLS_H

#include "functions.h"
#include "lib/pattern.h"

#include <stdbool.h>

/* Whether the name of some frame of P matches FN. */
bool calls_any(const struct profile *p, const struct pattern *fn);

/*
 * All functions whose names match FN are taken as one, OF. CALLS becomes the list of their callers
 * or of what they call; inclusive is the weight of the stacks that have such a call, each counted
 * once however often it has it, and self is 0. Without a caller is frame 0, of no category. P is
 * finished and outlives CALLS, which functions_release releases. RULES NULL: the built-in ones.
 */
void calls_init_callers(struct functions *calls, struct function *of, const struct profile *p,
	const struct pattern *fn, const struct rules *rules);
void calls_init_callees(struct functions *calls, struct function *of, const struct profile *p,
	const struct pattern *fn, const struct rules *rules);

#endif
