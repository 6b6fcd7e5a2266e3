/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which functions of a recording are annotated. */
#ifndef VIEW_ANNOTATE_CHOICE_H
#define VIEW_ANNOTATE_CHOICE_H

#include "recorded.h"

struct pattern;
struct strbuf;

/*
 * Sets *LIST, which the caller frees, to at most TOP functions (0: all) that match one of the NR
 * PATTERNS, or without patterns the hottest ones that have code of their own; the hottest first.
 * Returns their number. A pattern without match is noted in NOTES, with similar names, and makes
 * *MISSING true.
 */
size_t choice_make(const struct recorded *r, const struct pattern *patterns, size_t nr,
	unsigned top, uint32_t **list, bool *missing, struct strbuf *notes);

#endif
