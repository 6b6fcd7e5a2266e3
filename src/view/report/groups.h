/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a call tree by module, source file or line, task, or value of a label. */
#ifndef VIEW_REPORT_GROUPS_H
#define VIEW_REPORT_GROUPS_H

#include "functions.h"
#include "view/view.h"

/*
 * The name of a group is its category, and its frame is one of its frames, whose module it has if
 * groups_have_modules. Groups of tasks and labels have no self weight, but each stack is in exactly
 * one: stacks without are in "[unknown]" or "[no KEY]". P is finished and outlives GROUPS, which is
 * released by functions_release. KEY: of the label; its groups also have what was counted besides.
 */
void groups_init(
	struct functions *groups, const struct profile *p, enum report_by by, const char *key);

/* Whether one file or line may have several modules. */
bool groups_have_modules(enum report_by by);

/* Whether groups are of tasks or labels. */
bool groups_are_of_stacks(enum report_by by);

#endif
