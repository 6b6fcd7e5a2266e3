/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The category of every node of a call tree. A rank is a rule that matched a frame or, after all
 * rules, a default category given by the kind or module of a frame. The rank of a node is the
 * lowest of its frame's own rank and the ranks inherited from its callers. Several ranks may have
 * the same category.
 */
#ifndef VIEW_REPORT_CATEGORIES_H
#define VIEW_REPORT_CATEGORIES_H

#include "lib/strpool.h"
#include "model/profile.h"
#include "view/rules.h"

struct categories {
	struct strpool names; /* names of categories */
	uint32_t *names_of;   /* for each rank, its number in names */
	uint32_t nr_ranks;
	struct frame_ranks {
		uint32_t own;
		uint32_t passed; /* inherited by callees; nr_ranks if there is none */
	} * frames;              /* by frame; entry 0, for the root, is not used */
	bool passes;             /* some frame has a passed rank */
};

/*
 * P is finished. If RULES is NULL, the built-in rules are used. Ranks are in the order of the
 * rules, followed by default categories in the order of their names.
 */
void categories_init(struct categories *c, const struct profile *p, const struct rules *rules);
void categories_release(struct categories *c);

/* Returns the category of a rank, NUL-terminated. */
const char *category_name(const struct categories *c, uint32_t rank);

/* Returns the rank of every node. Entry 0, for the root, is not used. The caller frees the list. */
uint32_t *categories_of_nodes(const struct categories *c, const struct profile *p);

#endif
