/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames of a recording that need a name, or lines and inlined calls, grouped by file. */
#ifndef SYMBOL_LOOKUP_H
#define SYMBOL_LOOKUP_H

#include "lookup_job.h"
#include "model/recording.h"
#include "symbol_options.h"
#include "symbol_report.h"

struct lookup {
	uint32_t path, build_id; /* its file, as strings of the recording */
	uint32_t pid;            /* process of anonymous memory, else 0 */
	uid_t owner;             /* owner of the file that was mapped */
	uint32_t frame;
	uint64_t offset;   /* file offset of the byte to look up, or address in anonymous memory */
	uint32_t location; /* number of the location in the job */
};

struct lookup_file {
	struct lookup *lookups; /* part of the list's lookups */
	size_t nr;
	struct lookup_job job;
	struct symbol_module module; /* its row in the report */
	/*
	 * copies, as strings of the recording move when names are added; path is "" for anonymous
	 * memory
	 */
	char *path, *build_id, *release;
	char *downloaded, *downloaded_alt; /* paths in the cache, see struct lookup_job */
	char alt_id[129]; /* build-id of the file that dwz moved debug information to, if missing */
	bool named;       /* all frames had names before */
	bool pending;     /* the job has to be run */
	bool rejected;    /* the download is not the file's debug file */
	bool replaced;    /* another file is at its path */
	char other_id[129]; /* build-id of the other file */
};

struct lookup_list {
	struct lookup *lookups;
	struct lookup_file *files; /* in the order of the numbers of their strings */
	size_t nr, alloc;
};

/* Lists the lookups of REC. REC and OPTIONS must outlive LIST. */
void lookup_list_init(struct lookup_list *list, const struct recording *rec,
	const struct symbol_options *options);
void lookup_list_release(struct lookup_list *list);

/* Returns whether FRAME, which has a name, lacks the line or inlined calls that OPTIONS ask for. */
bool lookup_lacks_debuginfo(const struct recording *rec, const struct symbol_options *options,
	const struct rec_frame *frame);

#endif
