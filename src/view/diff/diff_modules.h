/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Matches modules of two profiles: other paths or versions of the same program or library. */
#ifndef VIEW_DIFF_DIFF_MODULES_H
#define VIEW_DIFF_DIFF_MODULES_H

#include "model/profile.h"

struct strbuf;

/*
 * Matches modules that only BEFORE has with modules that only AFTER has, by file name or else by
 * common functions, and changes them in BEFORE to those of AFTER, with the names of unnamed frames.
 * Both are finished, and BEFORE is again. NOTES: a line for each match with different file names.
 */
void diff_match_modules(struct profile *before, const struct profile *after, struct strbuf *notes);

#endif
