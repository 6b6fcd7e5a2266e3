/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a recording that need a name, or lines and inlined calls, grouped by file. */
#ifndef SYMBOL_LOOKUP_H
#define SYMBOL_LOOKUP_H

#include "lookup_job.h"
#include "model/recording.h"
#include "symbol_options.h"
#include "symbol_report.h"

struct lookup {
	uint32_t path, build_id; /* strings of the recording: its file */
	uint32_t pid;            /* of anonymous memory, else 0 */
	uid_t owner;             /* of the file that was mapped */
	uint32_t frame;
	uint64_t offset; /* of the byte to look up: in the file; in anonymous memory its address */
	uint32_t location; /* its number in the job */
};

struct lookup_file {
	struct lookup *lookups; /* part of the list's */
	size_t nr;
	struct lookup_job job;
	struct symbol_module module; /* its row of the report */
	/* copies: strings of the recording move when names are added; path "": anonymous memory */
	char *path, *build_id, *release;
	char *downloaded, *downloaded_alt; /* paths in the cache, see struct lookup_job */
	char alt_id[129]; /* build-id of the file that dwz moved debug information to, if missing */
	bool pending;     /* the job is to be run */
	bool rejected;    /* the download is not the file's debug file */
	bool replaced;    /* another file is at its path now: */
	char other_id[129]; /* its build-id */
};

struct lookup_list {
	struct lookup *lookups;
	struct lookup_file *files; /* in the order of their strings' numbers */
	size_t nr, alloc;
};

/* REC and OPTIONS must outlive it. */
void lookup_list_init(struct lookup_list *list, const struct recording *rec,
	const struct symbol_options *options);
void lookup_list_release(struct lookup_list *list);

/* FRAME has a name, but not the line and the inlined calls that OPTIONS ask for. */
bool lookup_lacks_debuginfo(const struct recording *rec, const struct symbol_options *options,
	const struct rec_frame *frame);

#endif
