/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a call tree by function or by category, the base of all reports. */
#ifndef VIEW_REPORT_ENTRIES_H
#define VIEW_REPORT_ENTRIES_H

#include "categories.h"
#include "model/profile.h"

/*
 * A function of a module and category, called or inlined, or a category. If the module is unknown,
 * functions of the kernel and of programs are different. inclusive is the weight of the stacks that
 * contain the function, each counted once.
 */
struct report_entry {
	uint32_t frame;    /* one of its frames, with its name and module */
	uint32_t category; /* in categories.names; of a group, the place of its values */
	bool kernel;       /* it belongs to the kernel and has no module; false for a category */
	uint64_t self, inclusive;
	uint64_t counts[COUNTED_MAX]; /* of the profile's counted; only for groups of a label */
};

struct report_entries {
	const struct profile *p;
	struct categories categories;
	/* sorted by self and inclusive (both descending), then name, module, category, kernel */
	struct report_entry *list;
	uint32_t nr;
	uint32_t *values; /* of groups (groups.h): for each key, in categories.names */
};

/* P is finished and outlives ENTRIES. If RULES is NULL, the built-in rules are used. */
void entries_init(
	struct report_entries *entries, const struct profile *p, const struct rules *rules);
/* Does the same without categories: there is one entry per function. */
void entries_init_whole(struct report_entries *entries, const struct profile *p);
/* Does the same with one entry per category. */
void entries_init_categories(
	struct report_entries *entries, const struct profile *p, const struct rules *rules);
void entries_release(struct report_entries *entries);

const char *entry_category(
	const struct report_entries *entries, const struct report_entry *function);

/*
 * The steps of entries_init, for callers that add up only some nodes. entries_begin lists all
 * functions in tree order, without weights, and returns for every node except the root its index in
 * the list. The caller frees these indexes. entries_add_up adds the weight of every node to the
 * function that NUMBER_OF has for it, unless that is NO_ENTRY. entries_sort sorts, and removes
 * functions without weight.
 */
enum { NO_ENTRY = UINT32_MAX };
uint32_t *entries_begin(
	struct report_entries *entries, const struct profile *p, const struct rules *rules);
void entries_add_up(
	struct report_entry *list, uint32_t nr, const uint32_t *number_of, const struct profile *p);
void entries_sort(struct report_entries *entries);

/*
 * Begins with categories only. Returns the category of every node, as a number in categories.names.
 * The caller frees the list.
 */
uint32_t *entries_begin_categories(
	struct report_entries *entries, const struct profile *p, const struct rules *rules);

#endif
