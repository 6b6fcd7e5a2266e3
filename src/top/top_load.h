/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes what is shown of a recording: the part of the time, with names, as a call tree. */
#ifndef TOP_TOP_LOAD_H
#define TOP_TOP_LOAD_H

#include "top.h"
#include "top_names.h"

/* What the recorder was started with. */
struct top_options {
	const struct recording_view *view;
	const struct symbol_options *symbol;
	bool skid;
};

enum { TOP_ACTIVITY = 60 }; /* slices */

struct top_load {
	const struct top_options *options;
	struct top_names names;
	int fd; /* of the newest recording, as text, or -1 */
	struct profile profile;
	bool is_loaded; /* the profile is there */
	/* of the recording */
	struct strbuf title, unit;
	double seconds;                  /* since it began */
	uint64_t activity[TOP_ACTIVITY]; /* sums of the last slices, the newest one last */
	size_t nr_activity;
};

void top_load_init(struct top_load *l, const struct top_options *options);
void top_load_release(struct top_load *l);

/* Replaces the recording by the one in FD, which is closed later. */
void top_load_take(struct top_load *l, int fd);

/* Shows the recording in T as T's choices say. Returns -1 with ERR if it cannot be read. */
int top_load_show(struct top_load *l, struct top *t, struct strbuf *err);

/*
 * Writes what is shown to the file that the user has typed. Puts what became of it into T's
 * message.
 */
void top_load_save(struct top_load *l, struct top *t);

#endif
