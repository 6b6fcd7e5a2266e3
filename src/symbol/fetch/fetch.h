/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file on its way from a debuginfod server: libdebuginfod in a process of its own. */
#ifndef SYMBOL_FETCH_FETCH_H
#define SYMBOL_FETCH_FETCH_H

#include "debuginfod.h"

#include <stdint.h>
#include <sys/types.h>

struct fetch_library;

/* Loads the library file NAME. NULL and ERR: it is not there, or not what it should be. */
const struct fetch_library *fetch_library_open(const char *name, struct strbuf *err);

/* What the process tells. */
struct fetch_report {
	uint64_t bytes, total; /* of the file; total 0: not known */
	uint64_t events;       /* grows with all that a server sends, and while none is asked */
	bool heard;            /* a server sent something */
	bool ended;
	int error;       /* then: 0 the file is in the cache, or an errno */
	int status;      /* of HTTP, the last one that says neither "here" nor "unknown"; 0: none */
	char answer[64]; /* what else went wrong with a server, in libcurl's words; "": nothing */
	char server[256];   /* that the file comes from, its name for people; "": not known */
	char unfinished[8]; /* what the name of the file ends in as long as it is not whole */
};

struct fetch {
	pid_t pid; /* 0: none */
	int pipe;
	struct fetch_report report; /* the last one */
};

/*
 * Starts to fetch FILE, whose build-id is one, into the folder CACHE. -1 and errno. Ends with
 * fetch_end or fetch_kill.
 */
int fetch_start(struct fetch *f, const struct fetch_library *lib, const char *cache,
	const struct debuginfod_file *file);

/* Takes what was told, without waiting; false: nothing more will come. */
bool fetch_read(struct fetch *f);

/* The process shall end and leave nothing behind; may be said again. */
void fetch_stop(struct fetch *f);

/* Waits for the end after fetch_read was false; what it died of is an error in the report. */
void fetch_end(struct fetch *f);

/* Ends a process that does not end, and removes the unfinished file for PATH. */
void fetch_kill(struct fetch *f, const char *path);

/* Removes PATH from the cache, and its folder when that is empty then. */
void fetch_remove(const char *path);

/* The same where it is empty, with which libdebuginfod notes that no server has the file. */
void fetch_forget(const char *path);

/* Where FILE is in the cache; the caller's to free. */
char *fetch_path(const char *cache, const struct debuginfod_file *file);

#endif
