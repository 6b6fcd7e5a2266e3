/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the log of a BPF verifier says. */
#ifndef ENGINE_BPF_VERIFIER_H
#define ENGINE_BPF_VERIFIER_H

#include <stddef.h>

/*
 * Why the program was refused: the last line of LOG before its figures; its length in LEN. NULL:
 * there is no such line.
 */
const char *verifier_reason(const char *log, size_t *len);

#endif
