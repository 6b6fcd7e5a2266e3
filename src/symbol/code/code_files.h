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
	char *why;           /* message with the path why there is no code, or NULL if there is */
	int64_t modified_ns; /* when the mapped file was modified, since 1970, or 0 if not known */
};

enum { NO_CODE = UINT32_MAX };

struct code_files {
	struct code_file *list;
	size_t nr, alloc;
	/*
	 * for each frame of the recording, the file, and the instruction that the frame is at (for
	 * a caller, the call), or NO_CODE if it is not known
	 */
	struct code_place {
		uint32_t file, insn;
	} * places;
};

struct code_options {
	const struct symbol_options *symbol;
	bool intel; /* use Intel's syntax of instructions */
	/*
	 * Read where instructions are, and by what compilers find their lines in a profile, but not
	 * their text and targets. There may be more of them then.
	 */
	bool positions;
};

/*
 * Reads the code of the functions that contain the frames with WANTED[frame]. Uses only files that
 * have the recorded build-id or are older than the recording. OPENER finds them. Adds problems with
 * downloads to NOTES.
 */
void code_files_read(struct code_files *files, const struct recording *rec, const bool *wanted,
	const struct code_options *options, struct opener *opener, struct strbuf *notes);
void code_files_release(struct code_files *files);

#endif
