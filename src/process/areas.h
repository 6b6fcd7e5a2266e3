/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that a process has written: pages of readable, writable, private mappings without a
 * file, except stacks, that are present. Neither absent nor swapped ones are listed, so that
 * reading what is listed does not make the process bigger. Mappings that exceed 16 GiB together are
 * left out, too.
 */
#ifndef PROCESS_AREAS_H
#define PROCESS_AREAS_H

#include <stddef.h>
#include <stdint.h>

enum { AREA_PAGE = 4096 };

struct memory_area {
	uint64_t start, end; /* of whole pages */
};

/*
 * The areas of process PID by address, of at most MAX bytes together; the rest is left out. NULL:
 * none, it is gone, or access is denied. The caller frees the list.
 */
struct memory_area *areas_read(uint32_t pid, uint64_t max, size_t *nr);

/* Parses a line of /proc/PID/maps; its area, 0: it is not of this kind. */
struct memory_area areas_parse(const char *line);

#endif
