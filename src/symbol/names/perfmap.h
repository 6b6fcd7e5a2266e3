/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a JIT compiler, /tmp/perf-PID.map: lines "START SIZE NAME" (hex, hex, text); see
 * Documentation/jit-interface.txt in Linux' tools/perf.
 */
#ifndef SYMBOL_NAMES_PERFMAP_H
#define SYMBOL_NAMES_PERFMAP_H

#include <stdbool.h>
#include <stdint.h>

struct perfmap;

/*
 * Reads FD to its end; the caller keeps FD. Ignores malformed lines, an incomplete last line, and
 * everything beyond 256 MiB or 4 million functions. Never NULL.
 */
struct perfmap *perfmap_read(int fd);
void perfmap_free(struct perfmap *map);

/*
 * The function at ADDRESS: of several the one written last, as compilers reuse memory. NAME is
 * valid as long as the map. False: none.
 */
bool perfmap_find(const struct perfmap *map, uint64_t address, const char **name, uint64_t *offset);

#endif
