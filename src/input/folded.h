/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: one per line, root first, frames separated by ";", then a blank and an unsigned
 * integer. Frames of the kernel end in _[k], frames of inlined functions in _[i], frames of JIT
 * code in _[j] and frames of wakers in _[w]. Bytes that would break the format are escaped as in
 * word.h. For names in brackets, see notes.h.
 *
 * As in the output of bcc's tools, a frame "-" means that the frames after it belong to the kernel,
 * and "--" that they belong to a waker.
 */
#ifndef INPUT_FOLDED_H
#define INPUT_FOLDED_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/*
 * Returns the kind that a frame's suffix stands for, and subtracts the suffix's length from *LEN.
 * Returns FRAME_USER if there is no suffix.
 */
enum frame_kind folded_kind(const char *s, size_t *len);

/*
 * Whether the last word of LINE, which has no leading or trailing blanks, is an unsigned integer.
 * The reader of folded stacks skips a line without a weight or without a stack, and reads an empty
 * frame as [unknown].
 */
bool folded_has_weight(const char *line, size_t len);

/* Appends a frame of a folded line: its name, escaped, and the suffix of its kind. */
void folded_frame_add(struct strbuf *out, const struct profile *p, uint32_t frame);

#endif
