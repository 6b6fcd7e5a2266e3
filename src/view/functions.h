/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call tree added up by function and by category: what all reports are made of. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "lib/profile.h"

/*
 * One function of one module and category, whether called or inlined; or one category. inclusive is
 * the weight of the stacks it is in, each counted once however often it is in it.
 */
struct function {
	uint32_t frame;    /* one of the frames: its name and module */
	uint32_t category; /* in functions.categories */
	uint64_t self, inclusive;
};

struct functions {
	const struct profile *p;
	struct strpool categories;
	struct function *list; /* by self, inclusive (both falling), then name, module, category */
	uint32_t nr;
};

/* P is finished and outlives F. */
void functions_init(struct functions *f, const struct profile *p);
void categories_init(struct functions *f, const struct profile *p); /* one entry a category */
void functions_release(struct functions *f);

const char *function_category(const struct functions *f, const struct function *function);

/* The module whose frames without names weigh most, as "[libfoo.so]" where it is not known; NULL:
 * all have names. P is finished; valid until a frame is added. */
const char *functions_least_named(const struct profile *p);

#endif
