/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the log of the BPF verifier. */
#ifndef ENGINE_BPF_VERIFIER_H
#define ENGINE_BPF_VERIFIER_H

#include <stddef.h>

/*
 * Returns why the program was rejected: the last line of LOG before the statistics, *LEN bytes
 * long, or NULL if there is no such line.
 */
const char *verifier_reason(const char *log, size_t *len);

#endif
