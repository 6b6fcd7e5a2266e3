/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a lookup job, which the worker process sends back. It is in native byte order, as
 * it never leaves the machine. lookup_result_read checks every number in it, because the worker may
 * have been taken over by the file that it read.
 */
#ifndef SYMBOL_LOOKUP_RESULT_H
#define SYMBOL_LOOKUP_RESULT_H

#include "lib/strbuf.h"
#include "lib/strpool.h"
#include "symbol_report.h"

struct lookup_name {
	uint64_t offset;
	uint32_t function, file; /* numbers of strings, or 0 if there is none */
	uint32_t line;
};

struct lookup_frame {
	uint32_t location;  /* number of the location in the job */
	uint32_t first, nr; /* range in names, innermost inlined function first */
};

/* The start of the function at a location without a name. */
struct lookup_start {
	uint64_t address; /* link address */
	uint32_t location;
	uint32_t is_cold; /* it is a part of a function that the compiler moved elsewhere */
};

/* Facts about the file as a whole. */
struct lookup_header {
	uint32_t nr_strings, nr_names, nr_frames, nr_starts;
	uint32_t source, gap; /* enum symbol_source, enum symbol_gap */
	uint32_t has_debuginfo;
	uint32_t lack;     /* enum debug_lack */
	uint32_t rejected; /* the download is not the file's debug file */
	uint32_t replaced; /* another file is at the path, with the build-id OTHER_ID */
	char detail[128];
	char other_id[129];
	char alt_id[129]; /* build-id of the file that dwz moved debug information to, if missing */
};

/* Returns whether its texts end, and its enums have known values. */
bool lookup_header_is_valid(const struct lookup_header *header);

struct lookup_result {
	struct lookup_header header;
	struct strpool strings;
	struct lookup_name *names;
	size_t names_alloc;
	struct lookup_frame *frames;
	size_t frames_alloc;
	struct lookup_start *starts;
	size_t starts_alloc;
};

void lookup_result_init(struct lookup_result *result);
void lookup_result_release(struct lookup_result *result);

/* Begins the frame at LOCATION. The names that are added next belong to it. */
void lookup_result_begin(struct lookup_result *result, uint32_t location);
/* Adds a name to this frame. FILE may be NULL. */
void lookup_result_add(struct lookup_result *result, const char *function, uint64_t offset,
	const char *file, uint32_t line);

void lookup_result_add_start(struct lookup_result *result, const struct lookup_start *start);

void lookup_result_write(const struct lookup_result *result, struct strbuf *out);
/* Reads the output of lookup_result_write into the empty RESULT. Returns -1 if it is malformed. */
int lookup_result_read(struct lookup_result *result, const struct strbuf *in);

#endif
