/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds what is left of ranges of addresses that were mapped and unmapped one after the other. */
#ifndef TOOL_MMAP_RANGES_LEFT_H
#define TOOL_MMAP_RANGES_LEFT_H

#include <stdint.h>

struct drain_spans;

/*
 * Sets LEFT[i] to the bytes of the range of span i, see mmap.h, that no later range of its process
 * has replaced; to 0 if the range was unmapped.
 */
void ranges_left(const struct drain_spans *spans, uint64_t *left);

#endif
