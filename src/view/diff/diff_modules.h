/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches modules of two profiles. A program or library may have another path or version in each of
 * them.
 */
#ifndef VIEW_DIFF_DIFF_MODULES_H
#define VIEW_DIFF_DIFF_MODULES_H

#include "model/profile.h"

struct strbuf;

/*
 * Matches modules that only BEFORE has with modules that only AFTER has, by file name or else by
 * common functions. In BEFORE, replaces them by the modules of AFTER, also in the names of unnamed
 * frames. Both profiles are finished; BEFORE is finished again. Appends a line to NOTES for each
 * match of different file names.
 */
void diff_match_modules(struct profile *before, const struct profile *after, struct strbuf *notes);

#endif
