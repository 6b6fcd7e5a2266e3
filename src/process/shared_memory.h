/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that processes share with others: a place in it is the same one in all of them. */
#ifndef PROCESS_SHARED_MEMORY_H
#define PROCESS_SHARED_MEMORY_H

#include "lib/table.h"

#include <stddef.h>
#include <stdint.h>

struct shared_memory {
	struct shared_process {
		int64_t read_ns; /* when its mappings were read (monotonic) */
		struct shared_area {
			uint64_t start, end;
			uint64_t offset; /* of the start in the file */
			char *name;
		} * list;
		size_t nr, alloc;
	} * processes;
	size_t nr, alloc;
	struct table by_pid; /* pid -> index in processes */
};

void shared_memory_init(struct shared_memory *m);
void shared_memory_release(struct shared_memory *m);

/*
 * Returns the place at ADDRESS in the memory that process PID shares: the name of the file and the
 * offset in it, as in "PostgreSQL.1302+0x80", or "[shared 4711]+0x80" with the inode of memory
 * without a name. Returns NULL if the memory is not shared, or if it is not known as the process
 * has ended; memory that it shares since the last second may not be known either. The caller frees
 * the text.
 */
char *shared_memory_place(struct shared_memory *m, uint32_t pid, uint64_t address);

#endif
