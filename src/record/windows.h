/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Continuous recording: what becomes of the windows. */
#ifndef RECORD_WINDOWS_H
#define RECORD_WINDOWS_H

#include "fleet/spool.h"
#include "lib/trouble.h"
#include "push.h"
#include "symbol/name_memory.h"
#include "symbol/open_files.h"

struct options;
struct recording;

struct windows {
	const struct options *options;
	struct spool spool;
	struct name_memory names;
	struct push push;        /* without a URL if windows stay */
	struct open_files files; /* of the window that is being taken */
	struct trouble trouble;  /* with the spool */
};

/*
 * Lets the session of O give its windows to W. Returns -1 with a message if they cannot be kept.
 * To be called with the rights of the user.
 */
int windows_begin(struct windows *w, struct options *o);
/* Takes the last window. Returns the program's exit code. */
int windows_end(struct windows *w, struct recording *rec, const struct open_files *files);
void windows_release(struct windows *w);

#endif
