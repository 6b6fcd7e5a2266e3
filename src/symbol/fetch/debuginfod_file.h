/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file requested from debuginfod servers, and the result. */
#ifndef SYMBOL_FETCH_DEBUGINFOD_FILE_H
#define SYMBOL_FETCH_DEBUGINFOD_FILE_H

enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE, DEBUGINFOD_SOURCE };

enum debuginfod_result {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_UNKNOWN, /* no server has it, or none had it some minutes ago */
	DEBUGINFOD_FAILED,  /* a server returned an error, or the library failed */
	DEBUGINFOD_TIMEOUT,
	DEBUGINFOD_LEFT_OUT, /* not requested, as time ran out, no server responded, or on SIGINT */
};

struct debuginfod_file {
	/* the request */
	const char *build_id; /* in lower-case hex; anything else leads to DEBUGINFOD_UNKNOWN */
	const char *name;     /* name of the file in messages */
	enum debuginfod_kind kind;
	const char *source; /* path of a DEBUGINFOD_SOURCE in the debug information */
	/* the result */
	enum debuginfod_result result;
	char *path; /* in the cache, or NULL if it was not found; the caller frees it */
};

#endif
