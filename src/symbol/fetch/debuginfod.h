/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files from debuginfod servers, by build-id. The servers are those of $DEBUGINFOD_URLS or, if that
 * is not set, of the .urls files in /etc/debuginfod. Downloads stay in libdebuginfod's cache.
 */
#ifndef SYMBOL_FETCH_DEBUGINFOD_H
#define SYMBOL_FETCH_DEBUGINFOD_H

#include "debuginfod_file.h"

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct debuginfod_options {
	bool again; /* ignore recent failures */
	/* timeouts in seconds, 0: the default */
	unsigned file_s;    /* for one file */
	unsigned all_s;     /* for all files */
	unsigned silence_s; /* without a byte from any server */
	bool quiet;         /* no progress on stderr */
};

/*
 * True if the environment or /etc/debuginfod lists a server. Sets the environment accordingly. To
 * be called right before privileges are dropped: under sudo it takes the settings of sudo's caller.
 */
bool debuginfod_has_servers(void);

/*
 * Fetches the N FILES, several at a time, each in its own process, and shows progress on stderr if
 * that takes longer than a moment. SIGINT ends only the waiting. Appends errors to NOTES, one line
 * for all files with the same error. Takes at most a second longer than the timeouts. Servers that
 * did not respond at all are not contacted for the next ten minutes. The files are not checked:
 * servers may send anything.
 */
void debuginfod_fetch(struct debuginfod_file *files, size_t n,
	const struct debuginfod_options *options, struct strbuf *notes);

/* Removes FILE from the cache, because its content is wrong. */
void debuginfod_reject(const struct debuginfod_file *file);

#endif
