/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inlined functions of profiles that are compared. */
#ifndef VIEW_DIFF_DIFF_INLINES_H
#define VIEW_DIFF_DIFF_INLINES_H

#include "model/profile.h"

struct strbuf;

/*
 * Counts the inlined functions of a module as part of their callers if only one side has any,
 * although both have the module: debug information was probably missing on the other side, and
 * functions would seem to be new or gone. A line in NOTES names such modules. There are NR
 * profiles, of which the first NR_BEFORE are one side; they are finished, before and after.
 */
void diff_even_inlines(
	struct profile *const *profiles, size_t nr, size_t nr_before, struct strbuf *notes);

#endif
