/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of functions that a JIT compiler writes to /tmp/perf-PID.map, lines "START SIZE NAME"
 * (hex, hex, text); see Documentation/jit-interface.txt of Linux' tools/perf.
 */
#ifndef SYMBOL_NAMES_PERFMAP_H
#define SYMBOL_NAMES_PERFMAP_H

#include <stdbool.h>
#include <stdint.h>

struct perfmap;

/*
 * Reads FD to its end, which stays the caller's. Lines that are not understood are left out, as is
 * one that is still being written and what goes beyond 256 MiB or 4 million functions. Never NULL.
 */
struct perfmap *perfmap_read(int fd);
void perfmap_free(struct perfmap *map);

/*
 * The function that holds ADDRESS: of several the one that was written last, as compilers reuse
 * memory. NAME lives as long as the map. False: none.
 */
bool perfmap_find(const struct perfmap *map, uint64_t address, const char **name, uint64_t *offset);

#endif
