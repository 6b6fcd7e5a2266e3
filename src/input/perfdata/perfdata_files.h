/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes of a perf.data file have mapped, and their unwind rules. A file is
 * opened, and its rules are read by a child without privileges, when a copied stack needs them.
 */
#ifndef INPUT_PERFDATA_PERFDATA_FILES_H
#define INPUT_PERFDATA_PERFDATA_FILES_H

#include "lib/table.h"
#include "model/cuts.h"
#include "symbol/elf/debugfile.h"
#include "symbol/opener.h"
#include "unwind/unwind_table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elffile;
struct recording;

enum { PERFDATA_PAGE = 4096, PERFDATA_PAGES = 64 };

struct perfdata_file {
	uint32_t path, build_id; /* in the recording's strings; build_id may be 0 */
	uint32_t pid;            /* whose memory it is, or 0 for a file */
	bool is_opened;
	bool is_read, is_analysed; /* what its rules are made of */
	enum cut_cause gap;        /* why it has no rules */
	struct elffile *elf;       /* or NULL */
	struct unwind_table table;
};

struct perfdata_files {
	struct recording *rec;
	struct debug_paths paths;
	struct opener opener;
	struct perfdata_file *list;
	size_t nr, alloc;
	struct table by_name;   /* path and pid, build-id -> index */
	struct table build_ids; /* path -> build-id, of the file's list */
	struct perfdata_page {  /* pages of code */
		uint32_t file;
		bool is_there;
		uint64_t offset;
		unsigned char bytes[PERFDATA_PAGE];
	} * pages;
};

void perfdata_files_init(
	struct perfdata_files *fs, struct recording *rec, const struct debug_paths *paths);
void perfdata_files_release(struct perfdata_files *fs);

/* Returns the number of the file or, if PATH is memory, of the memory of PID. */
uint32_t perfdata_files_add(
	struct perfdata_files *fs, const char *path, uint32_t build_id, uint32_t pid);

/* Returns the build-id of a file, or 0 if it is not known. */
uint32_t perfdata_files_build_id(const struct perfdata_files *fs, const struct perfdata_file *f);

/* Returns the file, opened if it can be. */
const struct perfdata_file *perfdata_files_open(struct perfdata_files *fs, uint32_t file);

/* Returns the rule for the link address ADDRESS of the file, which is open. */
const struct unwind_rule *perfdata_files_rule(
	struct perfdata_files *fs, uint32_t file, uint64_t address);

/* Reads code at OFFSET of the file. Returns -1 if it is not there. */
int perfdata_files_code(
	struct perfdata_files *fs, uint32_t file, uint64_t offset, void *to, uint32_t size);

#endif
