/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keywords used by both the writer and the reader of recordings. */
#ifndef MODEL_RECORDING_WORDS_H
#define MODEL_RECORDING_WORDS_H

#include "recording.h"

extern const char *const stack_kind_words[STACK_KINDS];
extern const char *const stack_end_words[END_KINDS];

#endif
