/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mappings of memory, as shared by the BPF programs and user space. */
#ifndef TOOL_MMAP_MMAP_H
#define TOOL_MMAP_MMAP_H

#include "engine/bpf/kern/shared.h"

/* The system calls that map memory, and the one that only unmaps it. */
enum mmap_call { MMAP_MAP, MMAP_REMAP, MMAP_BRK, MMAP_CALLS, MMAP_UNMAP = MMAP_CALLS, MMAP_OTHER };

enum {
	MMAP_RANGES_MAX = 1 << 16, /* ranges at a time */
	MMAP_BRKS_MAX = 1 << 13,   /* threads in brk(2) at a time */
};

/*
 * The parts of the keys of spans, whose ID is the first address of a range: a range that is mapped,
 * or one that was unmapped, of which earlier ranges may have been a part. The other bits are 0, or
 * tell what is left of a range from another one that begins in the same place.
 */
enum range_part { RANGE_MAPPED, RANGE_UNMAPPED, RANGE_REST };

enum { RANGE_LENGTH }; /* the word of a span */

/* What a row counts: bits for the call, the access that it asks for, and the number of the file. */
enum {
	RANGE_CALL = 3,
	RANGE_ACCESS_SHIFT = 2,
	RANGE_ACCESS = 7, /* PROT_READ, PROT_WRITE, PROT_EXEC */
	RANGE_ANONYMOUS = 1 << 5,
	RANGE_FILE_SHIFT = 6
};

#endif
