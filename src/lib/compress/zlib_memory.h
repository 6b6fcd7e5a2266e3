/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocation functions for zlib's streams (zalloc, zfree), which do not fail. */
#ifndef LIB_COMPRESS_ZLIB_MEMORY_H
#define LIB_COMPRESS_ZLIB_MEMORY_H

enum { ZLIB_GZIP_HEADER = 16 }; /* added to the window bits */

void *zlib_allocate(void *opaque, unsigned n, unsigned size);
void zlib_release(void *opaque, void *p);

#endif
