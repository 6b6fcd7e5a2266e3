/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of functions of a recording, from the files that were mapped. */
#ifndef SYMBOL_CODE_CODE_FILES_H
#define SYMBOL_CODE_CODE_FILES_H

#include "code.h"
#include "model/recording.h"
#include "symbol/opener.h"
#include "symbol/symbol_options.h"

#include <stdbool.h>

struct code_file {
	char *path, *build_id; /* as recorded; "[kernel]" and modules in brackets are not files */
	struct code code;
	char *why;           /* why there is no code, a message with the path; NULL: there is */
	int64_t modified_ns; /* of the mapped file, since 1970; 0: not known */
};

enum { NO_CODE = UINT32_MAX };

struct code_files {
	struct code_file *list;
	size_t nr, alloc;
	/* of each frame of the recording: the file, and the instruction that the frame is at, which
	 * for a caller is the call; NO_CODE: not known */
	struct code_place {
		uint32_t file, insn;
	} * places;
};

struct code_options {
	const struct symbol_options *symbol;
	bool intel; /* the syntax of instructions */
};

/*
 * Reads the code of the functions that the frames with WANTED[frame] are in. Only of files with the
 * recorded build-id, or that are older than the recording. OPENER finds them. Problems with
 * downloads are added to NOTES.
 */
void code_files_read(struct code_files *files, const struct recording *rec, const bool *wanted,
	const struct code_options *options, struct opener *opener, struct strbuf *notes);
void code_files_release(struct code_files *files);

#endif
