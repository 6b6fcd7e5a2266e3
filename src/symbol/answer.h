/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of one file's frames on their way from the process that found them. The bytes are in
 * the machine's own order, as they never leave it; whoever reads them believes nothing.
 */
#ifndef SYMBOL_ANSWER_H
#define SYMBOL_ANSWER_H

#include "lib/strbuf.h"
#include "symbol.h"

struct answer_name {
	uint64_t offset;
	uint32_t function, file; /* numbers of strings, 0: none */
	uint32_t line;
};

struct answer_frame {
	uint32_t place;     /* which one of those that were asked for */
	uint32_t first, nr; /* in names: innermost inlined function first */
};

/* Of the module as a whole. */
struct answer_head {
	uint32_t nr_strings, nr_names, nr_frames;
	uint32_t source, gap;             /* enum symbol_source, enum symbol_gap */
	uint32_t has_debuginfo, rejected; /* what was fetched is not the file's debug file */
	uint32_t replaced; /* another file is at the path now, with the build-id OTHER */
	char detail[128];
	char other[129];
	char alt[129]; /* build-id of a file that is missing: dwz moved debug information to it */
};

struct answer {
	struct answer_head head;
	struct strpool strings;
	struct answer_name *names;
	size_t names_alloc;
	struct answer_frame *frames;
	size_t frames_alloc;
};

void answer_init(struct answer *a);
void answer_release(struct answer *a);

void answer_begin(struct answer *a, uint32_t place); /* the names that follow are of this frame */
void answer_add(
	struct answer *a, const char *function, uint64_t offset, const char *file, uint32_t line);

void answer_write(const struct answer *a, struct strbuf *out);
/* Reads what answer_write wrote into A, which was just initialised. -1: it is something else. */
int answer_read(struct answer *a, const struct strbuf *in);

#endif
