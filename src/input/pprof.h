/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef INPUT_PPROF_H
#define INPUT_PPROF_H

#include <stddef.h>
#include <stdint.h>

struct text_input;

/* Reads a profile in pprof's format, not compressed, from memory, as struct text_format does. */
int pprof_read_bytes(struct text_input *in, const uint8_t *data, size_t len);

#endif
