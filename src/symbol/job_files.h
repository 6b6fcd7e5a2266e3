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

/* Each file may be NULL if it is missing, or not the recorded one. */
struct job_files {
	struct lookup_job *job;
	struct lookup_header *about; /* facts about the files, or why they are missing */
	struct elffile *elf, *debug, *alt;
	struct symtab *symtab;
	struct debuginfo *debuginfo;
	/*
	 * for a kernel or its module, link address and size of the code that offsets are counted
	 * from
	 */
	uint64_t text, text_size;
};

/* Opens the files after lookup_job_open. ABOUT was just initialised and outlives FILES. */
void job_files_open(struct job_files *files, struct lookup_job *job, struct lookup_header *about);
void job_files_close(struct job_files *files);

/* Sets in ABOUT, after all lookups, whether .dwo files were missing. */
void job_files_check_dwo(struct job_files *files);

/* Finds the link address of a location. Returns false if it is not in the file. */
bool job_files_address(
	const struct job_files *files, const struct job_location *location, uint64_t *address);

/* Finds the function at a link address. Returns false if there is no symbol. */
bool job_files_function(struct job_files *files, uint64_t address, struct symtab_hit *hit);

#endif
