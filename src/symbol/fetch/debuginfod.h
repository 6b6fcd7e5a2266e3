/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files from debuginfod servers, found by build-id. The servers are listed in $DEBUGINFOD_URLS or,
 * if it is not set, in the .urls files in /etc/debuginfod. Downloads stay in libdebuginfod's cache.
 */
#ifndef SYMBOL_FETCH_DEBUGINFOD_H
#define SYMBOL_FETCH_DEBUGINFOD_H

#include "debuginfod_file.h"

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

struct debuginfod_options {
	bool again; /* ignore recent failures */
	/* timeouts in seconds, or 0 for the default */
	unsigned file_s;    /* for one file */
	unsigned all_s;     /* for all files */
	unsigned silence_s; /* without a byte from any server */
	bool quiet;         /* show no progress on stderr */
};

/*
 * Returns whether the environment or /etc/debuginfod lists a server, and sets the environment
 * accordingly. Must be called right before privileges are dropped, because under sudo it takes the
 * settings of sudo's caller.
 */
bool debuginfod_has_servers(void);

/*
 * Fetches the N FILES, several at a time, each in its own process. Shows progress on stderr if this
 * takes longer than a moment. SIGINT ends only the waiting. Appends errors to NOTES, one line for
 * all files with the same error. Takes at most a second longer than the timeouts. Servers that did
 * not respond at all are not contacted for the next ten minutes. The content of the files is not
 * checked, although servers may send anything.
 */
void debuginfod_fetch(struct debuginfod_file *files, size_t n,
	const struct debuginfod_options *options, struct strbuf *notes);

/* Removes FILE from the cache, because its content is wrong. */
void debuginfod_reject(const struct debuginfod_file *file);

#endif
