/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The size that an xz stream inflates to, without inflating it, as its chunks state their sizes. */
#ifndef SYMBOL_ELF_XZSIZE_H
#define SYMBOL_ELF_XZSIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether DATA begins like an xz stream. */
bool xzsize_is_xz(const void *data, size_t len);

/*
 * Returns the number of bytes that the first stream in the LEN bytes of DATA inflates to. No
 * decoder returns more. Returns UINT64_MAX if it is truncated, or is not xz with LZMA2.
 */
uint64_t xzsize(const void *data, size_t len);

#endif
