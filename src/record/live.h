/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows a recording on the terminal while it is made, in a process without the privileges of the
 * recorder, whose rounds do not wait for it.
 */
#ifndef RECORD_LIVE_H
#define RECORD_LIVE_H

#include "engine/session.h"

#include <sys/types.h>
#include <termios.h>

struct options;
struct recording;

enum { LIVE_STREAMS = 3 };

struct live {
	struct session_live session;
	pid_t viewer;
	int socket;
	bool is_ready, is_gone;
	struct termios terminal;   /* as it was */
	int streams[LIVE_STREAMS]; /* stdin, stdout and stderr if the command does not get them */
};

/*
 * Starts the viewer, which takes the terminal when the first recording comes. To be called before
 * O's session. Returns -1 with ERR on failure.
 */
int live_start(struct live *live, struct options *o, struct strbuf *err);

/*
 * Shows REC until the user ends that, if the recording has ended by itself, which is STAY. Waits
 * until the viewer has ended, and restores the terminal if the viewer could not. Returns -1 if the
 * viewer failed.
 */
int live_end(struct live *live, const struct recording *rec, bool stay);

#endif
