/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The download of one file from a debuginfod server, by libdebuginfod in a child process. */
#ifndef SYMBOL_FETCH_DOWNLOAD_H
#define SYMBOL_FETCH_DOWNLOAD_H

#include "debuginfod_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct download_library;
struct strbuf;

/* Loads the library file NAME. Returns NULL and sets ERR if it is missing or too old. */
const struct download_library *download_library_open(const char *name, struct strbuf *err);

/* A report of the child process. */
struct download_report {
	uint64_t bytes, total; /* of the file; total is 0 if it is not known */
	/* grows with everything that a server sends, and before servers are contacted */
	uint64_t events;
	bool heard; /* a server responded */
	bool ended;
	int error;          /* an errno, or 0 if the file is in the cache; valid once ended */
	int status;         /* last HTTP status other than success and 404, or 0 */
	char message[64];   /* another error of a server in the words of libcurl, or "" */
	char server[256];   /* server that sends the file, for messages, or "" */
	char unfinished[8]; /* suffix of the incomplete file in the cache */
	char found[2048];   /* where the file is, if the download ended without an error */
};

struct download {
	pid_t pid; /* or 0 if no process runs */
	int pipe;
	struct download_report report; /* the latest one */
};

/*
 * Starts the download of FILE, whose build-id must be valid, into the folder CACHE. Returns -1 and
 * sets errno on failure. The caller ends the download with download_end or download_kill.
 */
int download_start(struct download *download, const struct download_library *lib, const char *cache,
	const struct debuginfod_file *file);

/* Reads all pending reports without blocking. Returns false if no more reports will come. */
bool download_read(struct download *download);

/* Tells the process to clean up and end. May be called again. */
void download_stop(struct download *download);

/* Waits for the process after download_read returned false. A crash is an error in the report. */
void download_end(struct download *download);

/* Kills a process that does not end, and removes the incomplete file of PATH. */
void download_kill(struct download *download, const char *path);

/* Removes PATH from the cache, and its folder if it is empty then. */
void download_remove(const char *path);

/* Removes PATH in this way if it is empty, which is libdebuginfod's note that no server has it. */
void download_forget(const char *path);

/*
 * Returns the path of FILE in CACHE. A source file's path only begins like this. The caller frees
 * it.
 */
char *download_path(const char *cache, const struct debuginfod_file *file);

#endif
