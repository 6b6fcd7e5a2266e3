/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a case with words of memory: "ADDRESS WORD…", as tests/replay/README describes them.
 */
#ifndef TESTS_REPLAY_WORDS_H
#define TESTS_REPLAY_WORDS_H

#include "case.h"

/* Applies such a line. Returns false for any other line. */
bool words_line(struct case_state *s, const char *line);

/* Writes the changes at this moment: words being read that the case has not told, or told with
 * another value, and other words whose value has changed since the case told them. */
void words_write(struct case_state *s, FILE *out);

#endif
