/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files by the paths in debug information: as they are, in given folders, or from debuginfod
 * servers, which have those of a build-id. A worker process reads them.
 */
#ifndef SYMBOL_CODE_SOURCE_FILES_H
#define SYMBOL_CODE_SOURCE_FILES_H

#include "symbol/opener.h"
#include "symbol/symbol_options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct source_options {
	const struct symbol_options *symbol;
	const char *folders; /* that may have the files, separated by ":"; NULL: none */
	bool any_age;        /* also files that were changed after the program was built */
};

struct source_file {
	/* the request: strings of the caller */
	const char *path, *build_id; /* as the debug information has it; of the program, "": none */
	const char *program;         /* its path, for messages */
	int64_t built_ns;            /* when the program was modified, since 1970; 0: not known */
	/* the result */
	char *found;   /* where it is, NULL: nowhere */
	char *text;    /* NUL-terminated */
	size_t *lines; /* where each starts, and the end */
	uint32_t nr_lines;
	char *why; /* why it is not shown, a message; NULL: it is */
};

void source_files_read(struct source_file *list, size_t nr, const struct source_options *options,
	struct opener *opener, struct strbuf *notes);
void source_file_release(struct source_file *file);

/* The line, from 1, without its end; LEN 0 if there is none. */
const char *source_file_line(const struct source_file *file, uint32_t line, size_t *len);

#endif
