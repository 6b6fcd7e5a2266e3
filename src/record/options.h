/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of sample-bt. */
#ifndef RECORD_OPTIONS_H
#define RECORD_OPTIONS_H

#include "engine/session.h"
#include "model/recording.h"
#include "symbol/resolve.h"

#include "tool/at/at.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options {
	struct tool tool; /* tool of the request */
	struct session session;
	const char *engine;
	struct id_list {
		uint32_t *list;
		size_t nr, alloc;
	} pids, tids;
	struct probe_list {
		struct probe list[AT_MAX];
		size_t nr;
	} probes; /* of --at */
	const char **outputs;
	size_t nr_outputs, outputs_alloc;
	const char *report;
	const char *title; /* NULL for a description of what was recorded */
	const char **stap_args;
	size_t nr_stap_args, stap_args_alloc;
	const char *show; /* the event that is shown, or NULL for the first one */
	struct recording_view view;
	struct label_filter where; /* the view points to it */
	const char *with;          /* keys of labels, or NULL */
	struct symbol_options symbol;
	bool skid;          /* count late ticks for the callers, but not in recordings */
	double min_quality; /* percentage of the frames that must have names, or ACCOUNT_NO_LEAST */
	bool quiet;
	bool check, json;
	bool scripts; /* only list the scripts */
	bool live;    /* show the recording on the terminal while it is made */
	bool table;   /* show a table by the label of the view on the terminal */
	bool mixed;   /* request.mixed */
	int overload; /* per cent, or below 0 if it is not given */
	double last;  /* seconds before the end that are kept, or 0 for all */
	double every; /* seconds of a window, or 0 for one recording */
	const char *spool;
	const char *push;   /* URL of a fleet, or NULL */
	unsigned spool_max; /* MiB */
	double spool_age;   /* seconds */
	const char **set;   /* of --set: KEY=VALUE */
	size_t nr_set, set_alloc;
	double slice; /* length of the slices of time in seconds, 0 for none, -1 if not given */
};

/*
 * Fills O and the request of its session from the command line. O must not be moved afterwards.
 * Wrong usage ends the program with a message.
 */
void options_parse(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
