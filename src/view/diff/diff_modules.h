/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Modules of two profiles that are the same program or library in another place or version. */
#ifndef VIEW_DIFF_DIFF_MODULES_H
#define VIEW_DIFF_DIFF_MODULES_H

#include "model/profile.h"

struct strbuf;

/*
 * Gives what lies in modules of BEFORE that AFTER does not have the modules of AFTER that BEFORE
 * does not have, where these have the same file name or, then, share most functions; unnamed frames
 * get their names anew. Both are finished, and BEFORE is again. NOTES: a line for each that has
 * another file name.
 */
void diff_match_modules(struct profile *before, const struct profile *after, struct strbuf *notes);

#endif
