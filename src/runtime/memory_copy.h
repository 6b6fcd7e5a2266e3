/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of memory that a process has written. Blocks are read when they are first asked for, or
 * many at once, while the process runs on.
 */
#ifndef RUNTIME_MEMORY_COPY_H
#define RUNTIME_MEMORY_COPY_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_copy {
	const struct memory *memory;
	struct memory_area *areas;
	uint64_t *offsets; /* where each area begins in `bytes` */
	size_t nr_areas;
	size_t found;         /* the area that was found last */
	char *bytes;          /* room for all areas, with the blocks that were read */
	unsigned char *marks; /* a bit for each 8 bytes */
	unsigned char *blocks;
	uint64_t room;            /* bytes that are reserved */
	uint64_t size, max, read; /* bytes in the areas, limit of reading, bytes read so far */
	uint64_t written;         /* bytes since the room was reserved; no more are in memory */
	bool is_full;             /* more was asked for than may be read */
	/* Called after each reading, if not NULL. If it returns false, nothing more is read. */
	bool (*goes_on)(void *context);
	void *context;
	bool has_ended; /* goes_on has returned false */
};

/*
 * Initialises a copy of at most MAX bytes of M, which takes up to half as much memory again. It is
 * empty until it is renewed.
 */
void memory_copy_init(struct memory_copy *c, const struct memory *m, uint64_t max);

/*
 * Forgets the data that was read, and goes_on, and lists the memory, but reads nothing. The pages
 * of the copy stay, so that reading the same data again causes no page faults. Returns false if
 * there is no memory or no room for it.
 */
bool memory_copy_renew(struct memory_copy *c);
void memory_copy_release(struct memory_copy *c);

/* Returns the areas that were read. The caller frees the list. */
struct memory_area *memory_copy_areas(const struct memory_copy *c, size_t *nr);

/*
 * Reads the blocks of these areas, each with the next block, until the monotonic time UNTIL_NS or,
 * if that is 0, to the end.
 */
void memory_copy_read(
	struct memory_copy *c, const struct memory_area *areas, size_t nr, int64_t until_ns);

/*
 * Returns LEN bytes at ADDRESS, valid until the copy is renewed or released, or NULL if they are
 * not in the process's memory or are not read any more.
 */
const void *memory_copy_at(struct memory_copy *c, uint64_t address, uint64_t len);

/*
 * Marks the 8 bytes at ADDRESS, which are in the copy. Returns false if they were marked already.
 */
bool memory_copy_mark(struct memory_copy *c, uint64_t address);

#endif
