/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The category of every node of a call tree. A rank stands for a rule that matched something or,
 * behind all rules, for what the kind or the module of a frame says. A node has the lowest of its
 * frame's own rank and the ranks that frames nearer to the root pass on. Several ranks may have one
 * category.
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
		uint32_t passed; /* to callees; nr_ranks: none */
	} * frames;  /* by the frame's number; that of frame 0, the root's, is not looked at */
	bool passes; /* some frame passes one on */
};

/* P is finished; RULES NULL: the built-in ones. Ranks in the order of rules, then of the names of
 * what is behind them. */
void categories_init(struct categories *c, const struct profile *p, const struct rules *rules);
void categories_release(struct categories *c);

/* The category of a rank, NUL-terminated. */
const char *category_name(const struct categories *c, uint32_t rank);

/* Of every node, as ranks; entry 0, the root's, means nothing. The caller's to free. */
uint32_t *categories_of_nodes(const struct categories *c, const struct profile *p);

#endif
