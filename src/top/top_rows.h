/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists the rows of a table or tree. */
#ifndef TOP_TOP_ROWS_H
#define TOP_TOP_ROWS_H

#include <stdint.h>

struct top;

/* Lists the rows of T's profile, and moves the cursor to the chosen row if it is still there. */
void top_list(struct top *t);

/* Returns the id of the root of a tree for FRAME of T's profile. */
uint64_t top_root_id(const struct top *t, uint32_t frame);

#endif
