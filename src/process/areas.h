/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that a process has written: the present pages of readable, writable, private mappings
 * without a file, except stacks. Absent and swapped pages are not listed, so that reading the
 * listed pages does not make the process bigger. A mapping is left out if it makes the total exceed
 * 16 GiB.
 */
#ifndef PROCESS_AREAS_H
#define PROCESS_AREAS_H

#include <stddef.h>
#include <stdint.h>

enum { AREA_PAGE = 4096 };

struct memory_area {
	uint64_t start, end; /* addresses of whole pages */
};

/*
 * Returns the areas of process PID, by address and at most MAX bytes together; further areas are
 * left out. Returns NULL if there are none, the process has ended, or access is denied. The caller
 * frees the list.
 */
struct memory_area *areas_read(uint32_t pid, uint64_t max, size_t *nr);

/*
 * Parses a line of /proc/PID/maps. Returns its area, or 0 in both members if it is not of this
 * kind.
 */
struct memory_area areas_parse(const char *line);

#endif
