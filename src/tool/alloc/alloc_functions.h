/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of programs and libraries that allocate and free memory, and the marks that tell of
 * it: OpenTelemetry's otel_memory:alloc(POINTER, SIZE, WEIGHT) and otel_memory:free(POINTER), as
 * libflametap-heap.so has them (src/preload).
 */
#ifndef TOOL_ALLOC_ALLOC_FUNCTIONS_H
#define TOOL_ALLOC_ALLOC_FUNCTIONS_H

#include "alloc.h"

#include <stdbool.h>
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
	ALLOC_OWN,
	ALLOC_FREE,
	ALLOC_MARK,
	ALLOC_MARK_FREE,
	ALLOC_PROGRAMS
};

/* A file, and the places of such functions in it. */
struct alloc_file {
	char *path; /* it may be opened at */
	struct alloc_place {
		uint64_t offset;    /* in the file */
		uint32_t program;   /* enum alloc_program */
		bool is_known;      /* the library of src/preload has the function, too */
		uint64_t semaphore; /* of a mark, as in struct at_site */
		struct at_place number[ALLOC_NUMBERS]; /* the arguments of a mark */
	} * places;
	size_t nr;
};

/* Functions of the program's own, or NULL. */
struct alloc_own {
	const char *alloc, *free;
};

/*
 * Finds the functions in the NR FILES. A file that cannot be read has none. If several functions
 * begin at the same place it is listed once.
 */
void alloc_functions_find(struct alloc_file *files, size_t nr, const struct alloc_own *own);

/* Returns whether PROGRAM runs at functions that may call others that allocate. */
static inline bool alloc_is_outer(uint32_t program)
{
	return program != ALLOC_MALLOC && program != ALLOC_CALLOC && program < ALLOC_FREE;
}

/* Returns whether PROGRAM runs at marks. */
static inline bool alloc_is_mark(uint32_t program)
{
	return program == ALLOC_MARK || program == ALLOC_MARK_FREE;
}

#endif
