/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much an xz stream inflates to, without doing it: its chunks say their sizes. */
#ifndef SYMBOL_ELF_XZSIZE_H
#define SYMBOL_ELF_XZSIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if it begins like an xz stream. */
bool xzsize_is_xz(const void *data, size_t len);

/*
 * The number of bytes that the first stream in the LEN bytes of DATA inflates to: no decoder
 * returns more. UINT64_MAX: it is truncated, or not xz with LZMA2.
 */
uint64_t xzsize(const void *data, size_t len);

#endif
