/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to disks, as shared by the BPF programs and user space. */
#ifndef TOOL_BLOCK_BLOCK_H
#define TOOL_BLOCK_BLOCK_H

#include "engine/bpf/kern/shared.h"

/* Indexes of the options in the script's header; the limits are in us. */
enum { BLOCK_OPTION_OP, BLOCK_OPTION_MIN, BLOCK_OPTION_MAX };

/* What a request does; the bits of the option. */
enum block_op {
	BLOCK_READ,
	BLOCK_WRITE,
	BLOCK_FLUSH,
	BLOCK_DISCARD,
	BLOCK_ZERO,
	BLOCK_OTHER,
	BLOCK_OPS
};

enum {
	BLOCK_REQUESTS_MAX = 1 << 14, /* requests at a time */
	DISKS_MAX = 255,              /* disks whose names are kept */
	DISK_NAME = 32,               /* DISK_NAME_LEN */
};

/*
 * What a row counts: its op, whether the request is waited for, for metadata, or read ahead,
 * whether the row counts the time in the device and not in the queue, the number of the disk, or 0
 * if it is not known, and the error, which is an errno or, with BLOCK_STATUS, a status of the block
 * layer (BLK_STS_…).
 */
enum {
	BLOCK_OP = 7,
	BLOCK_SYNC = 8,
	BLOCK_META = 16,
	BLOCK_AHEAD = 32,
	BLOCK_DEVICE = 64,
	BLOCK_DISK_SHIFT = 7,
	BLOCK_ERROR_SHIFT = BLOCK_DISK_SHIFT + 8,
	BLOCK_ERROR_MAX = 255, /* stands for all larger ones, too */
	BLOCK_STATUS = 256,
};

_Static_assert((int)BLOCK_OPS <= BLOCK_OP + 1, "each op has a number in rows");

/*
 * What is a span, see span_key.part: a request; the part of a file system's request that gets a
 * request of its own later, in another thread; and the last flush of a queue that was asked for.
 */
enum request_part { PART_REQUEST, PART_BIO, PART_FLUSH };

/* The words of a span. */
enum {
	REQUEST_START,  /* when the kernel allocated the request, which tells it from others, ns */
	REQUEST_ISSUED, /* when the device got it, CLOCK_MONOTONIC, ns, or 0 */
	REQUEST_WHAT,   /* value of the row << 32 | bytes that have been transferred */
};

/* A disk, by its number. */
struct disk_name {
	uint64_t device; /* major << 20 | minor; tells disks apart */
	char name[DISK_NAME];
};

/* Returns whether a request that took NS is recorded. */
static inline bool request_counts(const volatile struct settings *s, uint64_t ns)
{
	uint64_t max = s->option[BLOCK_OPTION_MAX];

	return ns >= s->option[BLOCK_OPTION_MIN] * 1000 && (!max || ns <= max * 1000);
}

/* Returns when the device got the request of SPAN, which has lasted until NOW. */
static inline uint64_t request_issued(const struct span *span, uint64_t now)
{
	uint64_t issued = span->word[REQUEST_ISSUED];

	return !issued || issued > now ? now : issued < span->since ? span->since : issued;
}

#endif
