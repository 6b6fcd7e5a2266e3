/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function, or a whole source file, with its source lines and instructions. */
#ifndef VIEW_ANNOTATE_ANNOTATED_H
#define VIEW_ANNOTATE_ANNOTATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_COUNTER = UINT32_MAX };

struct annotated_line {
	uint32_t line;
	uint32_t counter; /* NO_COUNTER if it has no samples */
	uint32_t calls;   /* first call + 1, or 0 */
};

/* The lines of one source file that have code, in ascending order after they were sorted. */
struct annotated_source {
	uint32_t file; /* number in the sources */
	struct annotated_line *lines;
	size_t nr, alloc;
	uint64_t weight; /* self and total of its lines */
};

/* Consecutive instructions in a copy of the function. */
struct annotated_block {
	uint32_t file;      /* number in the code's files */
	uint32_t first, nr; /* instructions of this file */
	uint32_t into;      /* function with this code, or NO_FUNCTION if it is not known */
};

struct annotated {
	uint32_t function;                /* number in recorded, or NO_FUNCTION for a whole file */
	char *name;                       /* of the function or the file */
	char *module;                     /* of the function, or "" */
	uint64_t self, total;             /* weights */
	bool by_lines;                    /* it is a whole file, or an interpreter's function */
	struct annotated_source *sources; /* heaviest first */
	size_t nr_sources, sources_alloc;
	struct annotated_block *blocks;
	size_t nr_blocks, blocks_alloc;
	char *why; /* why it has no blocks, or NULL */
};

void annotated_release(struct annotated *f);

/* Adds a line of source FILE, which may be there already. */
void annotated_add_line(struct annotated *f, uint32_t file, uint32_t line);
/* Sorts all lines, so that each is there once. */
void annotated_sort_lines(struct annotated *f);
/* Returns the line, which is valid until a line is added, or NULL if it is not there. */
struct annotated_line *annotated_find_line(const struct annotated *f, uint32_t file, uint32_t line);

/* Adds a block. */
void annotated_add_block(
	struct annotated *f, uint32_t file, uint32_t first, uint32_t nr, uint32_t into);

#endif
