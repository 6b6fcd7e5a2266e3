/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The perf map of a JIT compiler, /tmp/perf-PID.map: lines "START SIZE NAME" (hex, hex, text); see
 * Documentation/jit-interface.txt in Linux' tools/perf. It may be large, and its writer may be
 * hostile: only functions at the addresses that are looked up are kept.
 */
#ifndef SYMBOL_NAMES_PERFMAP_H
#define SYMBOL_NAMES_PERFMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap;

/*
 * Reads the functions at NR ADDRESSES, in ascending order, which must outlive the result, from FD;
 * the caller keeps FD. Ignores malformed lines, an incomplete last line, and what comes after
 * 256 MiB of the file, or of functions (fewer under a memory limit). Never NULL.
 */
struct perfmap *perfmap_read(int fd, const uint64_t *addresses, size_t nr);
void perfmap_free(struct perfmap *map);

/*
 * The function at the address number I: of several the one written last, as compilers reuse memory.
 * NAME is valid as long as the map. False: none.
 */
bool perfmap_find(const struct perfmap *map, size_t i, const char **name, uint64_t *offset);

#endif
