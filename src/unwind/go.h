/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows from Go's pclntab. Better than Go's .debug_frame, which has no rule for rbp.
 */
#ifndef UNWIND_GO_H
#define UNWIND_GO_H

struct pclntab;
struct unwind_range;
struct unwind_ranges;
struct unwind_rows;

void go_ranges(const struct pclntab *tab, struct unwind_ranges *ranges);
/* RANGE is one of these, or a part of it. */
void go_rows(const struct pclntab *tab, const struct unwind_range *range, struct unwind_rows *rows);

#endif
