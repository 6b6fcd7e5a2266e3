/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a recording with the weights of their source lines and instructions, and whole
 * source files with the weights of their lines; functions of interpreters have only lines. An
 * inlined function has the lines and instructions of all its copies. The weight of a line includes
 * the code that is inlined into it.
 */
#ifndef VIEW_ANNOTATE_ANNOTATION_H
#define VIEW_ANNOTATE_ANNOTATION_H

#include "annotated.h"
#include "recorded.h"
#include "symbol/code/code_files.h"
#include "symbol/code/source_files.h"
#include "symbol/opener.h"
#include "weighing.h"

struct function_match_list;
struct strbuf;

/* A call that is inlined into a line. */
struct annotated_call {
	uint32_t function, innermost; /* in texts: called function; function of the instruction */
	uint32_t file, line;          /* source line of the instruction; the file is in texts */
	uint32_t counter;
	uint32_t next; /* next call of the same line + 1, or 0 */
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
	/* Functions and source files to annotate; the hottest functions if both are empty. */
	struct function_match_list *functions, *files;
	unsigned top; /* maximum number of functions, and of files, or 0 for no limit */
};

/*
 * Annotates functions and files of REC, which has names and inlined calls. Notes for the user are
 * appended to NOTES. Returns 1 if something is missing: a function was not found or has no code, or
 * there are too many frames. NOTES then says what is missing.
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
