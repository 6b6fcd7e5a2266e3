/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call tree added up by function and by category: what all reports are made of. */
#ifndef VIEW_REPORT_FUNCTIONS_H
#define VIEW_REPORT_FUNCTIONS_H

#include "categories.h"
#include "model/profile.h"

/*
 * One function of one module and category, whether called or inlined; or one category. Where the
 * module is not known, one of the kernel is another than one of a program. inclusive is the weight
 * of the stacks it is in, each counted once however often it is in it.
 */
struct function {
	uint32_t frame;    /* one of the frames: its name and module */
	uint32_t category; /* in categories.names */
	bool kernel;       /* without a module; always false of a category */
	uint64_t self, inclusive;
};

struct functions {
	const struct profile *p;
	struct categories categories;
	/* by self, inclusive (both falling), then name, module, category, kernel */
	struct function *list;
	uint32_t nr;
};

/* P is finished and outlives F. RULES NULL: the built-in ones. */
void functions_init(struct functions *f, const struct profile *p, const struct rules *rules);
/* Without categories: one entry a function, whatever it was called for. */
void functions_init_whole(struct functions *f, const struct profile *p);
/* One entry a category. */
void functions_init_categories(
	struct functions *f, const struct profile *p, const struct rules *rules);
void functions_release(struct functions *f);

const char *function_category(const struct functions *f, const struct function *function);

/*
 * The steps of functions_init, for what adds up only some nodes. To begin: all functions, without
 * weights, in the order of the tree, and as the result the number in the list of every node but the
 * root, the caller's to free. To add up: what the nodes weigh, to the numbers that NUMBER_OF then
 * holds, NO_FUNCTION: none. To sort: takes away what has no weight.
 */
enum { NO_FUNCTION = UINT32_MAX };
uint32_t *functions_begin(struct functions *f, const struct profile *p, const struct rules *rules);
void functions_add_up(
	struct function *list, uint32_t nr, const uint32_t *number_of, const struct profile *p);
void functions_sort(struct functions *f);

/* The module whose frames without names weigh most, as "[libfoo.so]" where it is not known; NULL:
 * all have names. P is finished; valid until a frame is added. */
const char *functions_least_named(const struct profile *p);

#endif
