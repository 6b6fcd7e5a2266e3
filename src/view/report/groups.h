/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a call tree by report keys (report_keys.h): one of them, or several crossed. */
#ifndef VIEW_REPORT_GROUPS_H
#define VIEW_REPORT_GROUPS_H

#include "entries.h"
#include "report_keys.h"

/*
 * A group is a combination of values. Its frame is one of its frames, and has its module if
 * report_keys_add_module. Groups whose keys are all of stacks have no self weight, but each stack
 * is in exactly one group: stacks without a task or label are in "[unknown]" or "[no KEY]". Such
 * groups can also have counts. P is finished and outlives GROUPS, which is released by
 * entries_release. If RULES is NULL, the built-in rules are used.
 */
void groups_init(struct report_entries *groups, const struct profile *p,
	const struct report_keys *keys, const struct rules *rules);

/* Returns whether groups by KEYS have these counts, one of the profile's. */
bool groups_have_counts(const struct value_counts *counts, const struct report_keys *keys);

/* Returns the value of the key with this index. */
const char *group_value(
	const struct report_entries *groups, const struct report_entry *group, size_t key);

#endif
