/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ages of what has not ended at the end of a recording, in ranges that are states of rows. */
#ifndef TOOL_POOLS_AGES_H
#define TOOL_POOLS_AGES_H

#include <stdint.h>

struct drain;
struct span;

/* Names the states. */
void ages_name(struct drain *drain);

/* Returns the state for an age. */
uint32_t ages_state(uint64_t age_ns);

/* Returns the age of SPAN at NOW_NS. */
uint64_t ages_of(const struct span *span, uint64_t now_ns);

#endif
