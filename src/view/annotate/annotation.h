/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a recording with the weights of their source lines and instructions; functions of
 * interpreters have only lines. An inlined function has the lines and instructions of all its
 * copies. The weight of a line includes the code that is inlined into it.
 */
#ifndef VIEW_ANNOTATE_ANNOTATION_H
#define VIEW_ANNOTATE_ANNOTATION_H

#include "recorded.h"
#include "symbol/code/code_files.h"
#include "symbol/code/source_files.h"
#include "symbol/opener.h"
#include "weighing.h"

struct function_match_list;
struct strbuf;

enum { NO_COUNTER = UINT32_MAX };

/* A call that is inlined into a line. */
struct annotated_call {
	uint32_t function, innermost; /* in texts: called function; function of the instruction */
	uint32_t file, line;          /* source line of the instruction; the file is in texts */
	uint32_t counter;
	uint32_t next; /* next call of the same line + 1, or 0 */
};

struct annotated_line {
	uint32_t line;
	uint32_t counter; /* NO_COUNTER if it has no samples */
	uint32_t calls;   /* first call + 1, or 0 */
};

/* The lines of a function in one source file that have code, in ascending order. */
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
	uint32_t function;                /* number in recorded */
	struct annotated_source *sources; /* heaviest first */
	size_t nr_sources, sources_alloc;
	struct annotated_block *blocks;
	size_t nr_blocks, blocks_alloc;
	char *why; /* why it has no blocks, or NULL */
};

struct annotation {
	const struct recording *rec;
	const char *unit; /* unit of the weights */
	struct recorded recorded;
	struct code_files code;
	/* for each string of each file of the code: the recorded function of this name */
	uint32_t **functions;
	uint32_t **counters; /* for each instruction of each file of the code; may be NO_COUNTER */
	struct source_file *sources;
	size_t nr_sources, sources_alloc;
	struct strpool texts; /* names as they are shown, paths */
	struct table by_path; /* maps path and file of the code to number in sources */
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
	struct function_match_list *functions; /* functions to annotate; the hottest if empty */
	unsigned top;                          /* maximum number of functions, or 0 for no limit */
};

/*
 * Annotates functions of REC, which has names and inlined calls. Notes for the user are appended to
 * NOTES. Returns 1 if something is missing: a function was not found or has no code, or there are
 * too many frames. NOTES then says what is missing.
 */
int annotation_init(struct annotation *a, struct recording *rec,
	const struct annotate_options *options, struct strbuf *notes);
void annotation_release(struct annotation *a);

/* Returns the weights of a counter, which are 0 for NO_COUNTER. */
struct counter annotation_weights(const struct annotation *a, uint32_t counter);

/*
 * Returns the frame of F at the instruction INSN of BLOCK, which has the source line of F that is
 * executed there. Returns NULL if it is not known.
 */
const struct code_frame *annotation_frame(struct annotation *a, const struct annotated *f,
	const struct annotated_block *block, uint32_t insn);

/*
 * Returns the name of a function of a file of the code, as views show it. It is valid until the
 * next call.
 */
const char *annotation_name(struct annotation *a, uint32_t file, uint32_t function);

#endif
