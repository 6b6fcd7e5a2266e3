/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file requested from debuginfod servers, and the result. */
#ifndef SYMBOL_FETCH_DEBUGINFOD_FILE_H
#define SYMBOL_FETCH_DEBUGINFOD_FILE_H

enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE, DEBUGINFOD_SOURCE };

enum debuginfod_result {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_UNKNOWN, /* no server has it, now or some minutes ago */
	DEBUGINFOD_FAILED,  /* a server returned an error, or the library failed */
	DEBUGINFOD_TIMEOUT,
	DEBUGINFOD_LEFT_OUT, /* not requested: no time left, no response from servers, or SIGINT */
};

struct debuginfod_file {
	/* the request */
	const char *build_id; /* lower-case hex; anything else is DEBUGINFOD_UNKNOWN */
	const char *name;     /* of the file, for messages */
	enum debuginfod_kind kind;
	const char *source; /* DEBUGINFOD_SOURCE: its path, as the debug information has it */
	/* the result */
	enum debuginfod_result result;
	char *path; /* in the cache, the caller frees it; NULL: not found */
};

#endif
