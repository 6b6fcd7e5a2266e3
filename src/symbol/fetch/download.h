/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The download of one file from a debuginfod server: libdebuginfod in a child process. */
#ifndef SYMBOL_FETCH_DOWNLOAD_H
#define SYMBOL_FETCH_DOWNLOAD_H

#include "debuginfod_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct download_library;
struct strbuf;

/* Loads the library file NAME. NULL and ERR: it is missing or too old. */
const struct download_library *download_library_open(const char *name, struct strbuf *err);

/* What the child process reports. */
struct download_report {
	uint64_t bytes, total; /* of the file; total 0: not known */
	uint64_t
		events; /* grows with everything a server sends, and before servers are contacted */
	bool heard;     /* a server responded */
	bool ended;
	int error;          /* if ended: 0 the file is in the cache, or an errno */
	int status;         /* the last HTTP status other than success and 404; 0: none */
	char message[64];   /* other errors of a server, as libcurl describes them; "": none */
	char server[256];   /* that sends the file, for messages; "": not known */
	char unfinished[8]; /* suffix of the incomplete file in the cache */
	char found[2048];   /* if ended without error: where the file is */
};

struct download {
	pid_t pid; /* 0: none */
	int pipe;
	struct download_report report; /* the latest one */
};

/*
 * Starts to download FILE, whose build-id is valid, into the folder CACHE. -1 and errno on failure.
 * To be ended by download_end or download_kill.
 */
int download_start(struct download *download, const struct download_library *lib, const char *cache,
	const struct debuginfod_file *file);

/* Reads all pending reports without blocking; false: there will be no more. */
bool download_read(struct download *download);

/* Tells the process to clean up and end; may be called again. */
void download_stop(struct download *download);

/* Waits for the process after download_read returned false; a crash is an error in the report. */
void download_end(struct download *download);

/* Kills a process that does not end, and removes the incomplete file for PATH. */
void download_kill(struct download *download, const char *path);

/* Removes PATH from the cache, and its folder if that is empty then. */
void download_remove(const char *path);

/* The same if PATH is empty: libdebuginfod's note that no server has the file. */
void download_forget(const char *path);

/* The path of FILE in CACHE, not that of a source file; the caller frees it. */
char *download_path(const char *cache, const struct debuginfod_file *file);

#endif
