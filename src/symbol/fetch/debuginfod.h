/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files from debuginfod servers, by build-id. Asked are those of $DEBUGINFOD_URLS or, where that is
 * not set, of the .urls files in /etc/debuginfod; what came stays in libdebuginfod's cache.
 */
#ifndef SYMBOL_FETCH_DEBUGINFOD_H
#define SYMBOL_FETCH_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

enum debuginfod_kind { DEBUGINFOD_DEBUGINFO, DEBUGINFOD_EXECUTABLE };

enum debuginfod_result {
	DEBUGINFOD_FOUND,
	DEBUGINFOD_UNKNOWN,  /* no server has it, as of now or of the last minutes */
	DEBUGINFOD_FAILED,   /* a server did not answer right, or the library failed */
	DEBUGINFOD_TIMEOUT,  /* the time was over */
	DEBUGINFOD_LEFT_OUT, /* not asked: no time left, the servers do not answer, or SIGINT */
};

struct debuginfod_file {
	/* asked for */
	const char *build_id; /* lower-case hex; anything else is unknown to all */
	const char *name;     /* of the file, for people */
	enum debuginfod_kind kind;
	/* what came */
	enum debuginfod_result result;
	char *path; /* in the cache, the caller's to free; NULL: not found */
};

struct debuginfod_options {
	bool again;         /* ask, whatever failed in the last minutes */
	unsigned file_s;    /* seconds for one file, 0: the default, as for those below */
	unsigned all_s;     /* for all of them */
	unsigned silence_s; /* without a byte from the servers */
	bool quiet;         /* no progress on stderr */
};

/*
 * Environment or settings name a server. Remembers them in the environment; to be called right
 * before privileges are dropped, for under sudo they are those of its caller.
 */
bool debuginfod_has_servers(void);

/*
 * Fetches the N FILES, several at a time, each in a process of its own, and says on stderr what,
 * how much and from where when that takes longer than a moment. SIGINT ends the waiting and nothing
 * else. Appends what went wrong to NOTES, one line for all files that it happened to. Takes at most
 * a second longer than options say. Servers that gave no sign of life are not asked for the next
 * ten minutes. Nobody looked yet at what came: any server may have sent anything.
 */
void debuginfod_fetch(struct debuginfod_file *files, size_t n,
	const struct debuginfod_options *options, struct strbuf *notes);

/* What was fetched is not what it should be: takes it out of the cache. */
void debuginfod_reject(const struct debuginfod_file *file);

#endif
