/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The weights of a call tree by function or by category, the base of all reports. */
#ifndef VIEW_REPORT_FUNCTIONS_H
#define VIEW_REPORT_FUNCTIONS_H

#include "categories.h"
#include "model/profile.h"

/*
 * A function of a module and category, called or inlined, or a category. If the module is unknown,
 * functions of the kernel and of programs are different. inclusive is the weight of the stacks that
 * contain the function, each counted once.
 */
struct function {
	uint32_t frame;    /* one of its frames, with its name and module */
	uint32_t category; /* in categories.names */
	bool kernel;       /* it belongs to the kernel and has no module; false for a category */
	uint64_t self, inclusive;
	uint64_t count; /* of requests and the like (report_counted); only for groups of a label */
};

struct functions {
	const struct profile *p;
	struct categories categories;
	/* sorted by self and inclusive (both descending), then name, module, category, kernel */
	struct function *list;
	uint32_t nr;
};

/* P is finished and outlives F. If RULES is NULL, the built-in rules are used. */
void functions_init(struct functions *f, const struct profile *p, const struct rules *rules);
/* Does the same without categories: there is one entry per function. */
void functions_init_whole(struct functions *f, const struct profile *p);
/* Does the same with one entry per category. */
void functions_init_categories(
	struct functions *f, const struct profile *p, const struct rules *rules);
void functions_release(struct functions *f);

const char *function_category(const struct functions *f, const struct function *function);

/*
 * The steps of functions_init, for callers that add up only some nodes. functions_begin lists all
 * functions in tree order, without weights, and returns for every node except the root its index in
 * the list. The caller frees these indexes. functions_add_up adds the weight of every node to the
 * function that NUMBER_OF has for it, unless that is NO_FUNCTION. functions_sort sorts, and removes
 * functions without weight.
 */
enum { NO_FUNCTION = UINT32_MAX };
uint32_t *functions_begin(struct functions *f, const struct profile *p, const struct rules *rules);
void functions_add_up(
	struct function *list, uint32_t nr, const uint32_t *number_of, const struct profile *p);
void functions_sort(struct functions *f);

/*
 * Returns the module with the largest weight of unnamed frames, or a name such as "[libfoo.so]" if
 * the module is unknown, or NULL if all frames have names. P is finished. The result is valid until
 * a frame is added.
 */
const char *functions_least_named(const struct profile *p);

#endif
