/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a lookup job as its worker process reads them. */
#ifndef SYMBOL_JOB_FILES_H
#define SYMBOL_JOB_FILES_H

#include "lookup_job.h"

#include <stdbool.h>
#include <stdint.h>

struct debuginfo;
struct elffile;
struct lookup_header;
struct symtab;
struct symtab_hit;

/* Each may be NULL: it is missing, or not the recorded one. */
struct job_files {
	struct lookup_job *job;
	struct lookup_header *about; /* what was found, or why not */
	struct elffile *elf, *debug, *alt;
	struct symtab *symtab;
	struct debuginfo *debuginfo;
	/* of a kernel or its module: link address and size of the code that offsets count from */
	uint64_t text, text_size;
};

/* After lookup_job_open. ABOUT was just initialised and outlives FILES. */
void job_files_open(struct job_files *files, struct lookup_job *job, struct lookup_header *about);
void job_files_close(struct job_files *files);

/* After all lookups: ABOUT says if .dwo files were missing. */
void job_files_check_dwo(struct job_files *files);

/* The link address of a location; false: not in the file. */
bool job_files_address(
	const struct job_files *files, const struct job_location *location, uint64_t *address);

/* The function at a link address; false: no symbol. */
bool job_files_function(struct job_files *files, uint64_t address, struct symtab_hit *hit);

#endif
