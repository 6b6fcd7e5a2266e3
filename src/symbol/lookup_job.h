/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up the names of locations in one file of a recording. A worker process opens the file and
 * its debug file and reads them.
 */
#ifndef SYMBOL_LOOKUP_JOB_H
#define SYMBOL_LOOKUP_JOB_H

#include "opener.h"
#include "symbol/elf/symstore.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_paths;
struct elffile;
struct strbuf;
struct symbol_options;

struct job_location {
	uint64_t offset;       /* of the byte to look up, in the file or from the kernel's text */
	uint64_t link_address; /* as recorded */
	bool has_link_address;
};

struct lookup_job {
	const char *path, *build_id; /* as recorded; "[kernel]" and its modules are not files */
	const char *release;         /* release of the kernel */
	struct job_location *locations;
	size_t nr_locations;
	struct elffile *open; /* the file, if it is open already */
	bool silent;          /* the file did not answer the recorder */
	/*
	 * paths of the debug file from a server, and of the file that dwz moved parts of it to, or
	 * NULL
	 */
	const char *downloaded, *downloaded_alt;
	const struct symbol_options *options;
	/* set by lookup_job_prepare */
	struct found_file mapped; /* the file at its path */
	struct found_file debug;  /* downloaded, or installed for the build-id */
	struct found_file alt;    /* downloaded */
	bool absent;              /* no file is there that could be read */
	/* set by lookup_job_open for the same files, or -1 */
	int fd, debug_fd, alt_fd;
	struct symstore store;
};

/* The detail of GAP_UNREADABLE for a file that does not answer. */
extern const char lookup_job_silent[];

/* Returns whether JOB is about a kernel or a kernel module. */
bool lookup_job_is_kernel(const struct lookup_job *job);

/* Returns the places where its debug file may be. */
struct debug_paths lookup_job_paths(const struct lookup_job *job);

/* The callbacks of a struct worker. The first one returns false if there is no file to read. */
bool lookup_job_prepare(struct lookup_job *job, struct opener *opener);
void lookup_job_open(struct lookup_job *job);
/* OUTPUT gets a struct lookup_result. */
void lookup_job_work(struct lookup_job *job, struct strbuf *output);
void lookup_job_finish(struct lookup_job *job, bool done);

#endif
