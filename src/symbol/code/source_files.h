/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source files, found by the paths in debug information: at these paths, in given folders, or on
 * debuginfod servers, which have the source files of a build-id. A worker process reads them.
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
	const char *folders; /* folders that may have the files, separated by ":", or NULL */
	bool any_age;        /* also files that were changed since, as far as is known */
};

struct source_file {
	/* the request, with strings of the caller */
	const char *path, *build_id; /* path in debug information; program's build-id, or "" */
	const char *program;         /* path of the program, for messages, or NULL for a script */
	int64_t built_ns; /* when the program was modified, or the script ran, since 1970, or 0 */
	/* a task that has executed a script, and its start in ticks since boot; or 0 */
	uint32_t tid;
	uint64_t start;
	bool is_text; /* it is not a file */
	/*
	 * IDs of the contents (lib/blob_id.h) that processes had there, which the caller frees; the
	 * time does not matter then
	 */
	const char **blobs;
	size_t nr_blobs;
	bool late; /* it was changed after a process began that has executed it */
	/* the result */
	char *found;   /* where the file is, or NULL if it was not found */
	char *text;    /* NUL-terminated */
	size_t *lines; /* offset where each line starts, and of the end */
	uint32_t nr_lines;
	char *why; /* message why it is not shown, or NULL if it is */
};

/* Returns whether the task with this start in ticks since boot still runs on this machine. */
bool source_task_runs(uint32_t tid, uint64_t start);

void source_files_read(struct source_file *list, size_t nr, const struct source_options *options,
	struct opener *opener, struct strbuf *notes);
void source_file_release(struct source_file *file);

/* Returns the line number LINE, from 1, without its end. LEN is 0 if there is no such line. */
const char *source_file_line(const struct source_file *file, uint32_t line, size_t *len);

#endif
