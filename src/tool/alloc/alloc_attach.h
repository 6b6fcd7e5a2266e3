/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches the programs in the files that processes map: when the recording begins, and later in
 * files that are mapped then.
 */
#ifndef TOOL_ALLOC_ALLOC_ATTACH_H
#define TOOL_ALLOC_ALLOC_ATTACH_H

#include "alloc_functions.h"
#include "lib/table.h"

#include <stdbool.h>

struct engine_request;
struct processes;
struct programs;
struct strbuf;

struct alloc_attach {
	struct programs *programs;
	struct alloc_own own;
	const struct processes *ps;
	bool keeps_blocks; /* the programs also run at free() and where functions return */
	bool by_process;   /* they run in the known processes only, not in all */
	bool is_preloaded; /* the command has the library of src/preload, whose marks count */
	bool is_multi;     /* by links for many places, see at_multi.h */
	struct alloc_file *files; /* that were searched */
	size_t nr, alloc;
	struct table by_inode;    /* device, inode -> index in files */
	struct table by_object;   /* ID of an object -> index in files */
	struct table attached;    /* file, process or 0 for all -> whether that is done */
	struct table seen;        /* process -> number of changes when it was looked at */
	struct alloc_mark *marks; /* where the arguments of marks are, by cookie */
	size_t nr_marks, marks_alloc;
	size_t nr_places; /* where programs are attached */
};

/* Makes the programs, which are not loaded yet, ones for links to many places if these are used. */
void alloc_attach_prepare(const struct programs *programs);

void alloc_attach_init(struct alloc_attach *a, struct programs *programs,
	const struct processes *ps, bool keeps_blocks);
void alloc_attach_release(struct alloc_attach *a);

/*
 * Attaches the programs in the file of the command, and in the LIBRARY that it loads before all
 * others, unless that is NULL. Returns -1 with ERR if one cannot be attached.
 */
int alloc_attach_command(
	struct alloc_attach *a, const char *command, const char *library, struct strbuf *err);

/* Does the same in the files that processes have mapped since the last call. */
int alloc_attach_update(struct alloc_attach *a, struct strbuf *err);

/* Returns whether a file that was searched has a place for PROGRAM. */
bool alloc_attach_has(const struct alloc_attach *a, uint32_t program);

#endif
