/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which frames of a recording want a name, or more than a name, and in which files they lie.
 */
#ifndef SYMBOL_WANTED_H
#define SYMBOL_WANTED_H

#include "module.h"
#include "symbol.h"

/* A frame that wants a name. */
struct wanted {
	uint32_t path, build_id; /* strings of the recording: where it lies */
	uint32_t pid;            /* 0, but in memory that is no file */
	uint32_t frame;
	uint64_t at; /* offset of the byte that is looked up: in the file, in memory an address */
	uint32_t place;
};

/* The frames that lie in one file. */
struct wanted_file {
	struct wanted *frames;
	size_t nr;
	struct module module;
	struct symbol_module said;
	/* copies: strings of the recording move when names are added; path "": memory */
	char *path, *build_id, *release;
	char *fetched, *fetched_alt;
	char alt[129]; /* build-id of what dwz moved out of the debug file, when that is missing */
	bool due;      /* is to be worked on */
	bool rejected; /* what was fetched is something else */
	bool replaced; /* another file is at its path now: */
	char other[129]; /* its build-id */
};

struct wanted_list {
	struct wanted *frames;
	struct wanted_file *files; /* in the order of their strings' numbers */
	size_t nr, alloc;
};

/* REC and OPTIONS must outlive it. */
void wanted_find(struct wanted_list *list, const struct recording *rec,
	const struct symbol_options *options);
void wanted_release(struct wanted_list *list);

/* FRAME has a name, but not with the line and the inlined calls that OPTIONS want. */
bool wanted_more(const struct recording *rec, const struct symbol_options *options,
	const struct rec_frame *frame);

/* OPTIONS want what only debug information has. */
bool wanted_debuginfo(const struct symbol_options *options);

#endif
