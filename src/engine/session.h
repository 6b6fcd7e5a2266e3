/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One recording from start to end: engine, clock, command, signals. */
#ifndef ENGINE_SESSION_H
#define ENGINE_SESSION_H

#include "engine.h"
#include "trigger.h"

#include <stdbool.h>

/* Shows a recording while it is made. */
struct session_live {
	double every_s;
	enum live_state {
		LIVE_BUSY,  /* it still works on the last one */
		LIVE_READY, /* it wants the next one */
		LIVE_GONE,  /* the recording ends */
	} (*ask)(struct session_live *live);
	void (*show)(struct session_live *live, const struct recording *rec);
};

/* Gives a continuous recording in parts. */
struct session_windows {
	double every; /* length of a window in seconds, or 0 for one recording */
	/* Windows end when the seconds since 1970, less OFFSET, are a multiple of their length. */
	double offset;
	/* Gets each window but the last. FILES, which is empty, has got the files of its names,
	 * which belong to the engine: open_files_return(). */
	void (*take)(void *arg, struct recording *rec);
	void *arg;
	struct open_files *files;
};

struct session {
	const struct engine_ops *ops;
	struct engine_request request;
	char **words;              /* argv of the program, for the recording */
	char **command;            /* argv of "-- COMMAND", or NULL */
	const char *announcement;  /* printed once the probes are in place, or NULL */
	struct trigger trigger;    /* ends the recording */
	struct session_live *live; /* or NULL */
	struct session_windows windows;
	bool progress;        /* show one changing line on stderr */
	bool describe;        /* write what would run to stdout, and run nothing */
	bool to_stdout;       /* the recording ends when the reader of stdout is gone */
	bool ended_by_itself; /* before its time and without a signal */
	char *log;            /* messages of an engine that failed to start; the caller frees it */
	/*
	 * The command's exit code as in a shell, or -1 if there is none or the recording ended
	 * first.
	 */
	int exit_code;
};

/*
 * Runs the session and fills REC, with windows the last one, and FILES with the files that are
 * needed for names and have no usable path. Returns 0 on success, 1 with losses, see ERR, or -1 if
 * there are no results. With describe or request.compile_only REC stays empty. NOTES and ERR hold
 * whole lines. Afterwards the first two signals only speed up what is still running, so that the
 * recording is written; the third one ends the program.
 */
int session_run(struct session *session, struct recording *rec, struct open_files *files,
	struct strbuf *notes, struct strbuf *err);

/* Returns how many descendants of Q's processes are not recorded, as nobody asked for it. */
size_t session_children_left_out(const struct engine_request *q);

#endif
