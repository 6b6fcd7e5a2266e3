/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads gzip (RFC 1952) and zstd (RFC 8878) files, even with several members or frames. */
#ifndef LIB_COMPRESS_DECOMPRESS_H
#define LIB_COMPRESS_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The number of bytes that decompress_new() needs to recognise the format. */
enum { DECOMPRESS_MAGIC = 4 };

struct decompress;

/*
 * Returns a decompressor for the file FD, which stays the caller's, and from which the NR bytes at
 * FIRST were read already. Returns NULL if the file is not compressed, or not in these formats.
 */
struct decompress *decompress_new(int fd, const char *first, size_t nr);
void decompress_free(struct decompress *d); /* D may be NULL */

/*
 * Reads at most SIZE bytes, and waits for at least one. Returns 0 at the end, or -1 with errno if
 * reading failed. It needs at most 128 MiB, the largest window of zstd that is accepted.
 */
ssize_t decompress_read(struct decompress *d, void *data, size_t size);

/* Returns the number of bytes that were read from the file. */
uint64_t decompress_taken(const struct decompress *d);

/*
 * Returns, after the end, what was wrong with the compressed data, or NULL if nothing was. Valid as
 * long as D.
 */
const char *decompress_damage(const struct decompress *d);

#endif
