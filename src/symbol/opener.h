/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files that a recording names, which may lie on a file system that does not answer
 * (FUSE, NFS). A helper process does this, until a deadline. After a file did not answer, files in
 * the same folder are not asked any more.
 */
#ifndef SYMBOL_OPENER_H
#define SYMBOL_OPENER_H

#include "lib/untrusted/helper.h"
#include "symbol/elf/symimage.h"

#include <stdbool.h>
#include <stddef.h>

struct debug_paths;

/* The functions below keep only copies of the paths that they get. */
struct opener {
	struct helper helper;
	char **silent; /* folders */
	size_t nr, alloc;
};

/* A file that was found. A process that may wait for it opens it with found_file_open. */
struct found_file {
	/*
	 * opened with O_PATH, so that closing it does not ask the file system, or for reading if
	 * there is no /proc, or -1 if there is no file
	 */
	int path_fd;
	int error; /* 0 or errno, which is ETIMEDOUT if the file system does not answer */
	struct symimage_origin origin;
};

#define FOUND_NONE ((struct found_file){.path_fd = -1})

/* Opens it for reading. Returns -1 if that fails. Takes ownership of its descriptor. */
int found_file_open(struct found_file *found);

void opener_init(struct opener *o);

/* Finds the regular file at ROOT + PATH. ROOT may be NULL. The caller closes its descriptor. */
struct found_file opener_find(struct opener *o, const char *root, const char *path);

/* Finds the debug file installed for BUILD_ID in the same way. */
struct found_file opener_find_debug(
	struct opener *o, const char *build_id, const struct debug_paths *where);

/* Lets the helper call debugfile_is_named. */
bool opener_is_named(struct opener *o, const char *path, const struct debug_paths *where);

/* Remembers that the file at PATH was found, but does not answer. */
void opener_add_silent(struct opener *o, const char *path);

/* Releases O without waiting for the helper. */
void opener_release(struct opener *o);

#endif
