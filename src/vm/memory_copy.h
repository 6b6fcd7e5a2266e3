/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy of memory that a process has written. Blocks are read when they are first asked for, or
 * many at once; the process runs on meanwhile.
 */
#ifndef VM_MEMORY_COPY_H
#define VM_MEMORY_COPY_H

#include "process/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_copy {
	const struct memory *memory;
	struct memory_area *areas;
	uint64_t *offsets; /* of each area in the bytes */
	size_t nr_areas;
	size_t found;         /* the area that was found last */
	char *bytes;          /* of all areas: those of blocks that were read */
	unsigned char *marks; /* a bit for 8 bytes */
	unsigned char *blocks;
	uint64_t room;            /* bytes that are reserved */
	uint64_t size, max, read; /* bytes: of the areas; that may be read; that were read */
	uint64_t written;         /* bytes since the room was reserved: no more are in memory */
	bool is_full;             /* more was asked for than may be read */
	/* Called after each reading, NULL: not at all. False: nothing more is read. */
	bool (*goes_on)(void *context);
	void *context;
	bool has_ended; /* it has returned false */
};

/*
 * A copy of at most MAX bytes of M, in up to half as much more memory. Nothing is in it before it
 * is renewed.
 */
void memory_copy_init(struct memory_copy *c, const struct memory *m, uint64_t max);

/*
 * Forgets all that was read, and goes_on, and lists the memory; reads nothing. Our pages stay, so
 * that reading the same again causes no page faults. False: there is no memory, or no room.
 */
bool memory_copy_renew(struct memory_copy *c);
void memory_copy_release(struct memory_copy *c);

/* What was read of it, as areas; the caller frees the list. */
struct memory_area *memory_copy_areas(const struct memory_copy *c, size_t *nr);

/* Reads the blocks of these areas and the next ones, until monotonic time UNTIL_NS, 0: all. */
void memory_copy_read(
	struct memory_copy *c, const struct memory_area *areas, size_t nr, int64_t until_ns);

/*
 * LEN bytes at ADDRESS, valid until the copy is renewed or released; NULL: they are not in the
 * process's memory, or not read any more.
 */
const void *memory_copy_at(struct memory_copy *c, uint64_t address, uint64_t len);

/* Marks the 8 bytes at ADDRESS, which are in the copy. False: they are marked already. */
bool memory_copy_mark(struct memory_copy *c, uint64_t address);

#endif
