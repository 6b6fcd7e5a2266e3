/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks: one per line, root first, frames separated by ";", then a blank and an unsigned
 * integer. Kernel frames end in _[k], inlined ones in _[i], JIT code in _[j], wakers in _[w]; bytes
 * that would break the format are escaped as in word.h. Names in brackets: see notes.h.
 *
 * As in the output of bcc's tools, a frame "-" means that the frames after it are the kernel's, and
 * "--" that they are a waker's.
 */
#ifndef INPUT_FOLDED_H
#define INPUT_FOLDED_H

#include "model/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* The kind given by a frame's suffix, whose length is subtracted from *LEN; default: FRAME_USER. */
enum frame_kind folded_kind(const char *s, size_t *len);

/*
 * Whether the last word of LINE, which has no leading or trailing blanks, is an unsigned integer.
 * When folded stacks are read, an empty frame becomes [unknown]; a line without such an integer, or
 * with nothing before it, is skipped.
 */
bool folded_has_weight(const char *line, size_t len);

/* Appends a frame of a folded line: its name, escaped, and the suffix of its kind. */
void folded_frame_add(struct strbuf *out, const struct profile *p, uint32_t frame);

#endif
