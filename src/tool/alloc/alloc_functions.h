/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of programs and libraries that allocate and free memory. */
#ifndef TOOL_ALLOC_ALLOC_FUNCTIONS_H
#define TOOL_ALLOC_ALLOC_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

/* The BPF programs, by what the functions are given. */
enum alloc_program {
	ALLOC_MALLOC,
	ALLOC_VALLOC,
	ALLOC_CALLOC,
	ALLOC_OUTER_CALLOC,
	ALLOC_REALLOC,
	ALLOC_REALLOCARRAY,
	ALLOC_MEMALIGN,
	ALLOC_POSIX_MEMALIGN,
	ALLOC_FREE,
	ALLOC_PROGRAMS
};

/* A file, and the places of such functions in it. */
struct alloc_file {
	char *path; /* it may be opened at */
	struct alloc_place {
		uint64_t offset;  /* in the file */
		uint32_t program; /* enum alloc_program */
	} * places;
	size_t nr;
};

/*
 * Finds the functions in the NR FILES. A file that cannot be read has none. If several functions
 * begin at the same place it is listed once.
 */
void alloc_functions_find(struct alloc_file *files, size_t nr);

/* Returns whether PROGRAM runs at functions that may call others that allocate. */
static inline int alloc_is_outer(uint32_t program)
{
	return program != ALLOC_MALLOC && program != ALLOC_CALLOC && program != ALLOC_FREE;
}

#endif
