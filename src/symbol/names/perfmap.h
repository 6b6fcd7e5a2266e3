/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a JIT compiler, /tmp/perf-PID.map, with lines "START SIZE NAME" (hex, hex, text),
 * see Documentation/jit-interface.txt in tools/perf of Linux. The file may be large and its writer
 * hostile, so only functions at the addresses to look up are kept.
 */
#ifndef SYMBOL_NAMES_PERFMAP_H
#define SYMBOL_NAMES_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap;

/*
 * Reads the functions at NR ADDRESSES from FD. ADDRESSES are in ascending order and must outlive
 * the result. The caller keeps FD. Ignores malformed lines, an incomplete last line, and the rest
 * after 256 MiB of the file or of functions (less under a memory limit). Never returns NULL.
 */
struct perfmap *perfmap_read(int fd, const uint64_t *addresses, size_t nr);
void perfmap_free(struct perfmap *map);

/*
 * Finds the function at the address number I. If several lines cover it, the last one counts, as
 * compilers reuse memory. NAME is valid as long as the map. Returns false if there is no function.
 */
bool perfmap_find(const struct perfmap *map, size_t i, const char **name, uint64_t *offset);

#endif
