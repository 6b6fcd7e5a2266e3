/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a recording with the weights of their source lines and instructions. Of a function
 * that was inlined these are all its copies. What is inlined into a line counts for it.
 */
#ifndef VIEW_ANNOTATE_ANNOTATION_H
#define VIEW_ANNOTATE_ANNOTATION_H

#include "recorded.h"
#include "symbol/code/code_files.h"
#include "symbol/code/source_files.h"
#include "symbol/opener.h"
#include "weighing.h"

struct pattern;
struct strbuf;

enum { NO_COUNTER = UINT32_MAX };

/* A call inlined into a line. */
struct annotated_call {
	uint32_t function, innermost; /* texts: the called one, and the one the instruction is of */
	uint32_t file, line;          /* text: that is executed there */
	uint32_t counter;
	uint32_t next; /* of the same line + 1, 0: none */
};

struct annotated_line {
	uint32_t line;
	uint32_t counter; /* NO_COUNTER: no samples */
	uint32_t calls;   /* the first one + 1, 0: none */
};

/* The lines of a function in one source file: those that have code, in ascending order. */
struct annotated_source {
	uint32_t file; /* of the sources */
	struct annotated_line *lines;
	size_t nr, alloc;
	uint64_t weight; /* self and total of its lines */
};

/* Instructions that follow each other in a copy of the function. */
struct annotated_block {
	uint32_t file;      /* of the code */
	uint32_t first, nr; /* in its insns */
	uint32_t into;      /* the function with this code, NO_FUNCTION: not known */
};

struct annotated {
	uint32_t function;                /* of recorded */
	struct annotated_source *sources; /* heaviest first */
	size_t nr_sources, sources_alloc;
	struct annotated_block *blocks;
	size_t nr_blocks, blocks_alloc;
	char *why; /* it has neither; NULL: it has */
};

struct annotation {
	const struct recording *rec;
	const char *unit; /* of the weights */
	struct recorded recorded;
	struct code_files code;
	/* of each string of each file of the code: the recorded function that it names */
	uint32_t **functions;
	uint32_t **counters; /* of each instruction of each file of the code, or NO_COUNTER */
	struct source_file *sources;
	size_t nr_sources, sources_alloc;
	struct strpool texts; /* names as they are shown, paths */
	struct table by_path; /* path, file of the code -> number in sources + 1 */
	struct weighing sums;
	struct annotated *list;
	size_t nr;
	struct annotated_call *calls;
	size_t nr_calls, calls_alloc;
	enum demangle demangle;
};

struct annotate_options {
	struct recording_view view;
	struct code_options code;
	struct source_options source;
	const struct pattern *patterns; /* the functions; none: the hottest */
	size_t nr_patterns;
	unsigned top; /* most functions; 0: all that match, or some */
};

/*
 * REC has names and inlined calls. Notes for the user are appended to NOTES. 1: a function was not
 * found, or has no code; its name is in NOTES.
 */
int annotation_init(struct annotation *a, struct recording *rec,
	const struct annotate_options *options, struct strbuf *notes);
void annotation_release(struct annotation *a);

/* The weights of a counter; 0 for NO_COUNTER. */
struct counter annotation_weights(const struct annotation *a, uint32_t counter);

/* What the instruction INSN of BLOCK executes of F's own source; NULL: not known. */
const struct code_frame *annotation_frame(struct annotation *a, const struct annotated *f,
	const struct annotated_block *block, uint32_t insn);

/* The name of a function of a file of the code as views show it; valid until the next call. */
const char *annotation_name(struct annotation *a, uint32_t file, uint32_t function);

#endif
