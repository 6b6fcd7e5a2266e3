/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a case that tell words of memory: "ADDRESS WORD…", as tests/replay/README describes
 * them.
 */
#ifndef TESTS_REPLAY_WORDS_H
#define TESTS_REPLAY_WORDS_H

#include "case.h"

/* Takes such a line; false: it is none. */
bool words_line(struct case_state *s, const char *line);

/*
 * Writes what the case has to tell at this moment: of the words that are read now those that it has
 * not told, or told otherwise, and which of the others are not as it told them any more.
 */
void words_write(struct case_state *s, FILE *out);

#endif
