/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a zstd file (RFC 8878). The same data gives the same bytes with one version of libzstd. */
#ifndef LIB_COMPRESS_ZSTD_WRITER_H
#define LIB_COMPRESS_ZSTD_WRITER_H

#include <stdio.h>

/*
 * Returns a stream that compresses what is written to it into OUT. fclose() ends the file and fails
 * if writing to OUT has failed; OUT stays open. Returns NULL with errno if there is no memory.
 */
FILE *zstd_writer(FILE *out);

#endif
