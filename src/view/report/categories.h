/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The category of every node of a call tree. A rank is a rule that matched a frame or, after all
 * rules, a default category given by the kind or module of a frame. The rank of a node is the
 * lowest of its frame's own rank and those inherited from its callers. Several ranks may have the
 * same category.
 */
#ifndef VIEW_REPORT_CATEGORIES_H
#define VIEW_REPORT_CATEGORIES_H

#include "lib/strpool.h"
#include "model/profile.h"
#include "view/rules.h"

struct categories {
	struct strpool names; /* of categories */
	uint32_t *names_of;   /* rank → in names */
	uint32_t nr_ranks;
	struct frame_ranks {
		uint32_t own;
		uint32_t passed; /* inherited by callees; nr_ranks: none */
	} * frames;              /* by frame; entry 0, the root's, is unused */
	bool passes;             /* some frame has a passed rank */
};

/* P is finished; RULES NULL: the built-in ones. Ranks are in the order of the rules, then in that
 * of the names of default categories. */
void categories_init(struct categories *c, const struct profile *p, const struct rules *rules);
void categories_release(struct categories *c);

/* The category of a rank, NUL-terminated. */
const char *category_name(const struct categories *c, uint32_t rank);

/* The rank of every node; entry 0, the root's, is unused. Freed by the caller. */
uint32_t *categories_of_nodes(const struct categories *c, const struct profile *p);

#endif
