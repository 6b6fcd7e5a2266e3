/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code of a file that a process has copied to memory without a file, at the same address, to have
 * it in huge pages: node --use-largepages, PHP's opcache.huge_code_pages, HHVM, ClickHouse, BOLT's
 * --hugify.
 */
#ifndef PROCESS_MOVED_CODE_H
#define PROCESS_MOVED_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct elffile;
struct mapping;

/* The mapping of the file that precedes the memory, executable or not. */
struct moved_code_file {
	uint64_t start, end, offset;
	bool executable;
};

/*
 * Returns true if the anonymous mapping M of process PID contains the code of ELF (or NULL) that
 * belongs there, as the file is mapped at BEFORE. M then gets its offset in the file.
 */
bool moved_code_find(uint32_t pid, const struct elffile *elf, const struct moved_code_file *before,
	struct mapping *m);

#endif
