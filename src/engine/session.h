/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording from start to end: engine, clock, command, signals. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "engine.h"

#include <stdbool.h>

struct session {
	const struct engine_ops *ops;
	struct engine_request request;
	char **words;   /* argv of our own, for the recording */
	char **command; /* argv of "-- COMMAND", NULL: none */
	bool progress;  /* one changing line on stderr */
	bool describe;  /* write what would run to stdout, run nothing */
	bool to_stdout; /* the end of stdout's reader is the end of the recording */
	char *log;      /* of an engine that could not start: what it said; the caller frees it */
};

/*
 * Runs it and fills REC, and FILES with those that its names need and no path leads to. 0: good; 1:
 * with losses that ERR tells; -1: nothing was gathered. With describe or request.compile_only REC
 * stays empty. NOTES and ERR hold whole lines. From then on the first two signals in all only hurry
 * what still runs, so that what was recorded is written; the third ends the program.
 */
int session_run(struct session *session, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err);

#endif
