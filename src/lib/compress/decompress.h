/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads gzip (RFC 1952) and zstd (RFC 8878), also several members or frames, from a file. */
#ifndef LIB_COMPRESS_DECOMPRESS_H
#define LIB_COMPRESS_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The number of bytes that decompress_new needs to tell the format. */
enum { DECOMPRESS_MAGIC = 4 };

struct decompress;

/*
 * For the file FD, kept by the caller, from which the NR bytes at FIRST were read already. NULL: it
 * is not compressed, or not in these formats.
 */
struct decompress *decompress_new(int fd, const char *first, size_t nr);
void decompress_free(struct decompress *d); /* NULL: nothing */

/*
 * Reads at most SIZE bytes, waiting for at least one. 0: the end; -1 and errno: reading failed. It
 * needs at most 128 MiB, the largest window of zstd that is accepted.
 */
ssize_t decompress_read(struct decompress *d, void *data, size_t size);

/* The number of bytes that were read from the file. */
uint64_t decompress_taken(const struct decompress *d);

/* After the end: what was wrong with the compressed data; NULL: nothing. Valid as long as D. */
const char *decompress_damage(const struct decompress *d);

#endif
