/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files that a recording names, which may lie on a file system that does not answer
 * (FUSE, NFS): a helper does it, until a deadline. Files in a folder of one that did not answer are
 * not asked any more.
 */
#ifndef SYMBOL_OPENER_H
#define SYMBOL_OPENER_H

#include "lib/untrusted/helper.h"
#include "symbol/elf/symimage.h"

#include <stdbool.h>
#include <stddef.h>

struct debug_paths;

/* The paths that its functions get outlive it, or are copied. */
struct opener {
	struct helper helper;
	char **silent; /* folders */
	size_t nr, alloc;
};

/* A file that can be read, by whoever may wait for it: found_file_open. */
struct found_file {
	/* open with O_PATH, so that closing it asks nobody, but without /proc for reading; -1: none
	 */
	int path_fd;
	int error; /* 0 or errno; ETIMEDOUT: its file system does not answer */
	struct symimage_origin origin;
};

#define FOUND_NONE ((struct found_file){.path_fd = -1})

/* Opens it for reading; -1: that is not possible. Takes ownership of its descriptor. */
int found_file_open(struct found_file *found);

void opener_init(struct opener *o);

/* The regular file at ROOT (NULL: "/") + PATH. The caller closes its descriptor. */
struct found_file opener_find(struct opener *o, const char *root, const char *path);

/* The same for the debug file installed for BUILD_ID. */
struct found_file opener_find_debug(
	struct opener *o, const char *build_id, const struct debug_paths *where);

/* As debugfile_is_named. */
bool opener_is_named(struct opener *o, const char *path, const struct debug_paths *where);

/* The file at PATH was found, but does not answer. */
void opener_add_silent(struct opener *o, const char *path);

/* Waits for nobody. */
void opener_release(struct opener *o);

#endif
