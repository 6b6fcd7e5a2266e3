/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a call tree by module, source file or line, task, or value of a label. */
#ifndef VIEW_REPORT_GROUPS_H
#define VIEW_REPORT_GROUPS_H

#include "functions.h"
#include "view/view.h"

/*
 * The name of a group is its category. Its frame is one of its frames, and has its module if
 * groups_have_modules. Groups of tasks and labels have no self weight, but each stack is in exactly
 * one group: stacks without a task or label are in "[unknown]" or "[no KEY]". KEY is the key of the
 * label; groups of a label also have counts. P is finished and outlives GROUPS, which is released
 * by functions_release.
 */
void groups_init(
	struct functions *groups, const struct profile *p, enum report_by by, const char *key);

/* Whether groups have a module each, because one file or line may be in several modules. */
bool groups_have_modules(enum report_by by);

/* Whether groups are tasks or values of a label, which whole stacks belong to. */
bool groups_are_of_stacks(enum report_by by);

#endif
