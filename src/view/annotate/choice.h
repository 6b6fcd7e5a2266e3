/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the functions of a recording that are annotated. */
#ifndef VIEW_ANNOTATE_CHOICE_H
#define VIEW_ANNOTATE_CHOICE_H

#include "recorded.h"

struct function_match_list;
struct strbuf;

/*
 * Sets *LIST, which the caller frees, to the functions that one of FUNCTIONS matches, or
 * without any to the hot functions that have code of their own. The hottest functions come
 * first. Returns their number, which is at most TOP unless TOP is 0. One that matches nothing is
 * noted in NOTES, with similar names, and makes *MISSING true.
 */
size_t choice_make(const struct recorded *r, struct function_match_list *functions, unsigned top,
	uint32_t **list, bool *missing, struct strbuf *notes);

#endif
